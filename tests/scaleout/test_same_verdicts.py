"""Judged on workers: the same table as in one process, whatever happens to a worker."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from pathlib import Path

import pytest

from assay import judging, scaleout
from assay.errors import SandboxFault, StorageError
from assay.judging import Job
from assay.records import Verdict
from assay.scaleout import Cluster, shards
from assay.store import Store
from tests.scaleout import made


def test_the_table_has_the_same_content(jobs: list[Job], expected: list[Verdict], cluster: Cluster, tmp_path: Path) -> None:
    said: list[Verdict] = []
    with Store(tmp_path / "store.sqlite") as store:
        verdicts = scaleout.judge_all(jobs, cluster, store, on_done=said.append)
    assert len(jobs) == 60 and made.outcomes(expected) == {"scored", "candidate_fault"}
    assert [verdict.attempt_id for verdict in verdicts] == [job.attempt_id for job in jobs]
    assert made.content(verdicts) == made.content(expected)
    assert made.content(said) == made.content(expected)
    assert cluster.client.run(shards.process_id).keys() == cluster.client.nthreads().keys()


def test_one_store_serves_both(jobs: list[Job], expected: list[Verdict], cluster: Cluster, tmp_path: Path) -> None:
    class Nothing:
        workers, isolation = 1, cluster.isolation

    with Store(tmp_path / "store.sqlite") as store:
        scaleout.judge_all(jobs[:10], cluster, store)
        again = judging.judge_all(jobs[:10], Nothing(), store)  # type: ignore[arg-type]
    assert again == expected[:10]


def test_a_lost_worker_changes_nothing(jobs: list[Job], expected: list[Verdict], cluster: Cluster) -> None:
    killed: list[int] = []

    def kill(_: Verdict) -> None:
        if not killed:
            killed.extend(list(cluster.client.run(shards.process_id).values())[:1])
            os.kill(killed[0], signal.SIGKILL)

    verdicts = scaleout.judge_all(jobs, cluster, on_done=kill)
    assert killed and made.content(verdicts) == made.content(expected)


VERIFIER = """
import os, signal
from assay.protocol import Judgement

def verify(problem, submission, run, mode):
    if submission == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if submission == "raises":
        raise SystemExit(3)
    return Judgement(score=1.0, gates=(), metrics={})
"""


@pytest.fixture
def toys(tmp_path: Path) -> list[Job]:
    """Jobs of a task whose verifier kills its own process, or leaves it, at certain submissions."""
    from assay import catalog, instances

    folder = tmp_path / "tasks" / "domain" / "toy"
    folder.mkdir(parents=True)
    (folder.parent / "verifier.py").write_text(VERIFIER)
    (folder / "task.yaml").write_text(
        "id: toy\ntitle: T\nkind: solution\ncontract: {}\ndifficulties: {easy: {}}\nreference: {full: [1, 1]}\n"
    )
    (folder / "generate.py").write_text(
        "from assay.protocol import Draft\ndef generate(seed, difficulty, public, private):\n    return Draft(prompt='P', family='f')\n"
    )
    (folder / "judge.py").write_text("")
    task = catalog.scan(tmp_path / "tasks")["toy"]
    row = instances.make(task, seed=1, difficulty="easy", split="train", folder=tmp_path / "made")
    problem = instances.problem(task, seed=1, difficulty="easy", folder=tmp_path / "made")
    texts = ["fine 1", "fine 2", "dies", "fine 3", "fine 4", "raises", *(f"fine {at}" for at in range(5, 15))]
    return [Job(f"a{at:02d}", task, problem, row.content_sha, text) for at, text in enumerate(texts)]


def test_a_row_that_always_loses_its_worker_is_a_harness_fault_and_takes_none_with_it(
    toys: list[Job], cluster: Cluster, tmp_path: Path
) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        verdicts = scaleout.judge_all(toys, cluster, store, retries=0)
        faults = {verdict.attempt_id: verdict for verdict in verdicts if verdict.outcome == "harness_fault"}
        assert set(faults) == {"a02", "a05"}
        assert all(
            (verdict.score, verdict.passed, verdict.failure_mode) == (0.0, False, "harness") for verdict in faults.values()
        )
        assert faults["a02"].events == ("the process that judged it was lost again and again",)
        assert faults["a05"].events == ("try 1: the judge raised SystemExit: 3",)
        assert all(verdict.outcome == "scored" for verdict in verdicts if verdict.attempt_id not in faults)
        assert str(judging.tally(16, verdicts)).endswith("scored 14 + candidate faults 0 + harness faults 2")
        keys = {job.attempt_id: shards.row("", job, cluster.isolation).judge_sha for job in toys}
        assert faults["a02"].judge_sha == keys["a02"]


def test_rows_that_no_worker_can_judge_are_harness_faults(jobs: list[Job], cluster: Cluster, tmp_path: Path) -> None:
    order = dataclasses.replace(cluster.order, run="another", require="Z")
    with Store(tmp_path / "store.sqlite") as store:
        verdicts = scaleout.judge_all(jobs[:4], dataclasses.replace(cluster, order=order), store, retries=1)
        assert made.outcomes(verdicts) == {"harness_fault"} and len(verdicts) == 4
        assert {verdict.events for verdict in verdicts} == {
            ("the process that judged it failed: SandboxFault: unknown sandbox level 'Z'; expected one of A, B, C, D, none",)
        }
        again = scaleout.judge_all(jobs[:4], cluster, store)
    assert "harness_fault" not in made.outcomes(again), "none was kept"


def test_a_worker_with_other_code_is_refused_and_nothing_is_judged(jobs: list[Job], cluster: Cluster) -> None:
    row = shards.row("k", jobs[1], cluster.isolation)
    text = shards.asked(cluster.order, [dataclasses.replace(row, judge_sha="other")])
    with pytest.raises(SandboxFault, match="judges task p01_expressions with other code"):
        shards.answered(cluster.client.submit(shards.judge_shard, text, pure=False).result())
    text = shards.asked(cluster.order, [dataclasses.replace(row, instances="/nothing")])
    with pytest.raises(SandboxFault, match="does it see the same file system"):
        shards.answered(cluster.client.submit(shards.judge_shard, text, pure=False).result())
    with pytest.raises(StorageError, match="full"):
        shards.answered(json.dumps({"storage": "the disk is full"}))


def test_only_text_crosses(jobs: list[Job], cluster: Cluster) -> None:
    text = shards.asked(cluster.order, [shards.row("k", job, cluster.isolation) for job in jobs[:3]])
    answer = cluster.client.submit(shards.judge_shard, text, pure=False).result()
    assert type(text) is str and type(answer) is str
    assert "seconds" not in answer, "no time in a verdict"


def test_shards_keep_the_order_and_give_every_thread_some(jobs: list[Job]) -> None:
    rows = [shards.row(str(at), jobs[at % len(jobs)], "A") for at in range(5_000)]
    parts = scaleout.split(rows, threads=2)
    assert {len(part) for part in parts} == {100} and [row for part in parts for row in part] == rows
    assert len(scaleout.split(rows[:60], threads=2)) == 8
    assert scaleout.split([], threads=2) == []
