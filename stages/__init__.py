"""One thin module a stage: read tables, one call into assay, write tables. `python -m stages.<name> --help` says how to run one."""
