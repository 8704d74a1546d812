"""Assay: the machinery of a round. It knows no task, no DVC, no Prefect and no params.yaml.

A *task* folder (found by `assay.catalog`) says what is asked and how it is judged; a *sandbox* (`assay.sandbox`) runs what a
model answered; `assay.judging` turns runs into verdicts; `assay.pool` and `assay.training` turn verdicts into a better model.
"""

__version__ = "0.1.0"
