"""judging_program FOLDER WHERE SEEDS VARIANTS: judge the jobs of `made` as a program, so that a test can kill it.

WHERE is local or dask. Prints a line a verdict, then the content hash of all; verdicts are kept in FOLDER/store.sqlite.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from assay import judging, scaleout, tables
from assay.records import Verdict
from assay.sandbox import open_sandbox
from assay.store import Store
from tests.scaleout import made


def main(folder: Path, where: str, seeds: int, variants: int) -> None:
    """Judge and write the table."""
    jobs = made.jobs(folder / "instances", seeds=seeds, variants=variants)
    with Store(folder / "store.sqlite") as store:
        if where == "local":
            with open_sandbox(require="none", workers=2) as sandbox:
                verdicts = judging.judge_all(jobs, sandbox, store, on_done=said)
        else:
            with scaleout.open_cluster(require="none", workers=2) as cluster:
                print("open", flush=True)
                verdicts = scaleout.judge_all(jobs, cluster, store, on_done=said)
    judging.tally(len(jobs), verdicts)
    tables.write(folder / "verdicts.parquet", verdicts, Verdict)
    print(made.content(verdicts), flush=True)


def said(verdict: Verdict) -> None:
    """One line."""
    print(verdict.outcome, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a program that was started in the background may ignore it
    try:
        main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
