"""The sandbox benchmark: its arithmetic, its harnesses on one candidate each, and a short run of the whole. No figure is judged."""

from __future__ import annotations

import itertools
import json
import time

import numpy as np
import pytest

from assay.protocol import Call, Limits, Program, Returns
from assay.records import Verdict
from assay.sandbox import host
from benchmarks import answering, comparison, endurance, harnesses, sandbox
from benchmarks.comparison import Metered, Timing


def verdict(name: str, score: float, **options) -> Verdict:
    plain = {"outcome": "scored", "passed": True, "failure_mode": "", "gates": (), "metrics": "{}", "notes": (), "events": ()}
    return Verdict(attempt_id=name, score=score, **(plain | {"isolation": "", "judge_sha": ""} | options))


def test_answers_end_at_the_first_failure():
    source = "import numpy as np\ndef f(x):\n    x[0] = 5 if x[0] == 2 else x[0]\n    return x if x[0] else list(x)\n"
    ones, twos, zeros = (np.full(2, float(number)) for number in (1, 2, 0))
    values, fault = answering.answers(source, [("f", [one], [(2,)], False) for one in (ones, zeros, ones)])
    assert len(values) == 1 and fault == "wrong_type"
    assert answering.answers(source, [("f", [twos], [(2,)], False)])[1] == "input_changed"
    assert answering.answers(source, [("f", [ones], [(3,)], False)])[1] == "wrong_shape"
    assert answering.answers("import sys\nsys.exit(0)\n", [])[1] == "early_exit"


@pytest.mark.parametrize("name", ["subprocess", "fork", "bubblewrap", "assay"])
def test_every_harness_answers_and_ends_what_is_late(name, tmp_path):
    if name == "bubblewrap" and harnesses.bubblewrap_missing():
        pytest.skip(harnesses.bubblewrap_missing())
    ones, array = np.ones((2, 3)), Returns("array", shape=(2, 3))
    both = Returns("tuple", items=(array, array))
    calls = (Call("f", (ones,), array), Call("g", (ones,), both), Call("f", (ones,), both))
    program = Program("def f(x):\n    return x + x\n\n\ndef g(x):\n    return x, 3 * x\n", calls, Limits())
    contestant = harnesses.open_contestant(name, 1, tmp_path, "easy")
    try:
        reply = contestant.sandbox.run(program)
        one, two = reply.values
        assert (one == 2 * ones).all() and (two[1] == 3 * ones).all() and reply.fault == "wrong_type"
        assert endurance.over_limit(contestant.sandbox, endurance.sleeping(1.0), 1.0, 1)["faults"] == ["wall_limit"]
    finally:
        contestant.close()


def test_a_harness_that_faults_is_not_timed():
    fault = verdict("one", 0.0, outcome="harness_fault", passed=False, events=("gone",))
    with pytest.raises(RuntimeError, match="fork on one: expected a verdict, received a harness fault"):
        comparison.refuse_faults({("bare", 1): Timing(verdicts=[verdict("one", 1.0)]), ("fork", 1): Timing(verdicts=[fault])})


def timings(bare: float, cold: float, own: float) -> comparison.Timings:
    seconds = {"bare": bare, "subprocess": cold, "assay": own}
    alone = {(name, 1): Timing(seconds=[taken, 2 * taken]) for name, taken in seconds.items()}
    return alone | {("assay", 2): Timing(seconds=[own / 2, own])} | {(name, 2): alone[name, 1] for name in ("bare", "subprocess")}


def test_ratios_are_taken_within_a_round():
    found = {(line["harness"], line["workers"]): line for line in comparison.throughput(timings(1.0, 20.0, 2.0), 10)}
    lines = {name: line for (name, workers), line in found.items() if workers == 1}
    assert found["assay", 2]["faster_than_one_subprocess"]["median"] == 20.0
    assert found["assay", 2]["slower_than_one_bare"]["median"] == 1.0
    assert lines["assay"]["slower_than_bare"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert lines["assay"]["faster_than_subprocess"]["median"] == 10.0
    assert lines["bare"]["candidates_per_second"] == {"median": 7.5, "low": 5.0, "high": 10.0}


def test_a_different_verdict_is_told():
    found = timings(1.0, 1.0, 1.0)
    for (name, _), timing in found.items():
        timing.verdicts = [verdict("a", 0.5), verdict("b", 1.0 if name != "assay" else 0.0)]
    told = comparison.agreement(found)
    assert not told["agree"]
    assert {(line["harness"], line["candidate"]) for line in told["differences"]} == {("assay", "b")}


def test_growth_is_seen():
    counts = range(100, 600, 100)
    flat = endurance._line("judge", counts, [50 << 20] * 5)
    rising = endurance._line("judge", counts, [(50 << 20) + 10_000 * count for count in counts])
    assert flat["flat"] and flat["bytes_a_candidate"] == 0.0
    assert not rising["flat"] and rising["bytes_a_candidate"] == 10_000.0


def test_peak_memory_counts_what_is_held():
    with endurance.PeakMemory() as peak:
        held = bytearray(b"x") * (64 << 20)
        time.sleep(0.3)
    assert peak.peak_bytes > len(held)


def test_candidates_are_honest_and_wrong_ones_and_some_need_scipy():
    names = sandbox.candidates(sandbox.QUICK)
    assert "reference" in names and any("scipy" in source for source in names.values())
    assert sum(name.startswith("cheats/") for name in names) == sandbox.QUICK.cheats


@pytest.mark.slow
def test_a_short_run_has_every_part_and_all_harnesses_agree(tmp_path):
    sandbox.main(["--quick", "--candidates", "120", "--out", str(tmp_path / "sandbox.json")])
    document = json.loads((tmp_path / "sandbox.json").read_text())
    names = [name for name in sandbox.HARNESSES if name != "bubblewrap" or not document["skipped"]]
    told = document["levels"]["easy"]
    assert told["verdicts"]["agree"], told["verdicts"]["differences"]
    assert [(line["harness"], line["workers"]) for line in told["throughput"]] == [
        (name, workers) for workers, name in itertools.product((1, 2), names)
    ]
    kinds = {host.kind_for(source) for source in sandbox.candidates(sandbox.QUICK).values()}
    assert set(told["by_libraries"]) == kinds > {"numpy"} and set(told["where_time_goes"]) == set(names)
    assert document["growth"]["to"] == 120 and document["growth"]["harness_faults"] == 0
    assert document["health"]["healthy"] and document["health"]["programs"] == sandbox.QUICK.time_outs
    assert set(document["time_outs"]) == set(names) - {"bare"}
    assert all(set(line) == {"target", "bound", "measured", "holds"} for line in document["targets"])
    assert document["isolation"] and document["machine"]["cores"] >= 1 and "numpy" in document["versions"]


def test_a_meter_adds_up():
    meter = Metered(harnesses.Bare())
    meter.run(Program("def f():\n    import numpy\n    return numpy.ones(1)\n", (Call("f", (), Returns("array", shape=(1,))),)))
    assert meter.programs == 1 and meter.run_seconds > 0
