"""t01: published numbers, honest solutions, and submissions that are subtly wrong, in process; hostile ones run in the contract tests."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from assay import instances
from tasks.cps import verifier
from tasks.cps.t01_kalman_filter import calls as asked
from tasks.cps.t01_kalman_filter import judge
from tests.tasks_cps import in_process
from tests.tasks_cps.in_process import FOLDER

LEVELS = ("easy", "medium", "hard")
REFERENCE = (FOLDER / "reference.py").read_text()
REWRITES = sorted(path.stem for path in (FOLDER / "rewrites").glob("*.py"))
CHEATS = in_process.sources(FOLDER.name, "cheats")
HOSTILE = {"exit_at_import", "forged_result", "hidden_files", "patched_numpy"}
FAULTS = {
    "always_equal": "wrong_type",
    "complex_dtype": "wrong_type",
    "huge": "wrong_shape",
    "list_of_two": "wrong_type",
    "masked": "wrong_type",
    "means_only": "wrong_type",
    "mutates": "input_changed",
    "not_finite": "not_finite",
    "not_finite_covariance": "not_finite",
    "object_dtype": "wrong_type",
    "reads_other_calls": "exception",
    "subclass": "wrong_type",
    "wrong_shape": "wrong_shape",
}
SUBTLE = sorted(set(CHEATS) - HOSTILE - set(FAULTS) - {"noisy"})


def source(folder: str, name: str) -> str:
    return (FOLDER / folder / f"{name}.py").read_text()


def gates(judgement):
    return {gate.name: gate for gate in judgement.gates}


def test_published_numbers(made):
    judgement = in_process.judged(made(0, "easy"), REFERENCE, "smoke")
    assert judgement.score == pytest.approx(0.588496, abs=1e-6)
    published = {
        "rmse_id": 0.361607,
        "persistence_id": 0.878745,
        "rmse_ood": 0.561534,
        "persistence_ood": 1.125460,
        "gap": 0.19993,
    }
    for name, value in published.items():
        assert judgement.metrics[name] == pytest.approx(value, abs=5e-6), name


@pytest.mark.parametrize(
    ("name", "gate"), [("constant", "spread"), ("echo", "better than persistence"), ("seeded_random", "RMSE")]
)
def test_published_gates(made, name, gate):
    judgement = in_process.judged(made(0, "easy"), source("cheats", name), "smoke")
    assert judgement.score == 0.0
    assert not gates(judgement)[gate].passed


def test_smoke_does_not_depend_on_the_seed(made):
    scores = {in_process.judged(made(seed, level), REFERENCE, "smoke").score for seed, level in ((0, "easy"), (3, "hard"))}
    assert len(scores) == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_reference_is_the_exact_filter(made, level, seed):
    judgement = in_process.judged(made(seed, level), REFERENCE)
    assert all(gate.passed for gate in judgement.gates), judgement.notes
    assert judgement.score == pytest.approx(1.0, abs=1e-9)
    assert judgement.notes == ()


@pytest.mark.parametrize("name", REWRITES)
def test_other_algorithms_pass(made, name):
    text = source("rewrites", name)
    low, high = (float(part) for part in ast.get_docstring(ast.parse(text)).split("Score: ")[1].split(".."))
    for seed, level in enumerate(LEVELS):
        assert low <= in_process.judged(made(seed, level), text).score <= high


def test_cosmetic_rewrite(made):
    text = ast.unparse(ast.parse(REFERENCE)).replace("rest", "remainder")
    for mode in ("smoke", "full"):
        scores = [in_process.judged(made(0, "medium"), one, mode).score for one in (REFERENCE, text)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@pytest.mark.parametrize("name", SUBTLE)
def test_wrong_answers_score_zero(made, name):
    for seed, level in enumerate(LEVELS):
        with np.errstate(all="ignore"):
            judgement = in_process.judged(made(seed, level), CHEATS[name])
        assert (judgement.score, judgement.failure_mode) == (0.0, "gate_failed"), level
        assert judgement.notes, "the author is told which gate failed"


def test_ends_of_the_scale(made):
    for level in LEVELS:
        ends = verifier.yardsticks(made(0, level))
        assert in_process.failed(ends["oracle"]) == []
        assert ends["oracle"].score == pytest.approx(1.0, abs=1e-9)
        assert ends["baseline"].score == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("name", "mode"), FAULTS.items())
def test_faults_are_named(made, name, mode):
    judgement = in_process.judged(made(0, "easy"), source("cheats", name))
    assert (judgement.score, judgement.failure_mode) == (0.0, mode)


def test_noise_is_caught_by_the_twin_and_ends_the_judging(made):
    judgement = in_process.judged(made(0, "easy"), source("cheats", "noisy"))
    assert judgement.failure_mode == "nondeterministic"
    assert [gate.name for gate in judgement.gates] == ["determinism"]


@pytest.mark.parametrize(
    ("cheat", "gate"),
    [
        ("smoother_blend", "causality"),
        ("centred_batch", "selection"),
        ("smoke_reference", "scale"),
        ("covariance_lopsided", "symmetric"),
        ("covariance_negative", "positive semidefinite"),
        ("overconfident", "nominal: log score lost"),
        ("underconfident", "nominal: log score lost"),
        ("covariance_zero", "nominal: log score lost"),
        ("r_mean", "varying: expected ratio"),
        ("missing_as_zero", "missing: expected ratio"),
    ],
)
def test_the_gate_that_is_meant_catches_it(made, cheat, gate):
    assert not gates(in_process.judged(made(0, "easy"), source("cheats", cheat)))[gate].passed


@pytest.mark.parametrize(("cheat", "name"), [("smoke_reference", "R"), ("q_doubled", "Q"), ("steady_state", "x0_cov")])
def test_missing_response_is_caught(made, cheat, name):
    assert not gates(in_process.judged(made(0, "easy"), source("cheats", cheat)))[f"response to {name}"].passed


def test_processes_share_no_regime_twice_in_the_measured_one(made):
    problem = made(0, "hard")
    calls = judge.calls(problem, "full")
    regimes = len(problem.difficulty.axes["regimes"])
    expected = {"measured": 1, "future_0": 1, "future_1": 1, "future_2": 1, "response": 3, "symmetry": 3}
    assert {name: len(batch) for name, batch in calls.items()} == {name: share * regimes for name, share in expected.items()}
    assert next(iter(calls)) == "measured"


def test_replaced_futures_keep_the_past_and_only_it(made):
    problem = made(1, "medium")
    calls = judge.calls(problem, "full")
    for number, regime in enumerate(judge.hidden(problem).values()):
        ts = asked.cuts(problem, number, regime.Y.shape[1])
        for cut, t in enumerate(ts):
            U, Y = calls[f"future_{cut}"][number].arguments[5:7]
            assert np.array_equal(Y[:, :t], regime.Y[:, :t], equal_nan=True)
            assert not np.any(np.all(Y[:, t:] == regime.Y[:, t:], axis=0))
            assert np.array_equal(U[:, : t - 1], regime.U[:, : t - 1]) and not np.any(U[:, t - 1] == regime.U[:, t - 1])


def test_same_seed_same_bytes_other_seeds_and_levels_other_bytes(tmp_path):
    task = in_process.task()

    def sha(where, seed, level):
        return instances.make(task, seed=seed, difficulty=level, split="train", folder=tmp_path / where).content_sha

    assert sha("a", 7, "easy") == sha("b", 7, "easy")
    assert len({sha("a", 7, "easy"), sha("a", 8, "easy"), sha("a", 7, "hard")}) == 3


@pytest.mark.parametrize("level", LEVELS)
def test_many_seeds_generate(level, tmp_path):
    problems = [in_process.problem(seed, level, tmp_path) for seed in range(100, 110)]
    assert all(np.isfinite(regime.X).all() for problem in problems for regime in judge.hidden(problem).values())


def test_public_folder_and_prompt_hold_nothing_hidden(made):
    problem = made(2, "hard")
    visible = {np.load(path).tobytes() for path in problem.public.rglob("*.npy")}
    hidden = {np.load(path).tobytes() for path in problem.private.rglob("*.npy")}
    assert hidden and not visible & hidden
    assert not any("private" in path.as_posix() for path in problem.public.rglob("*"))


def test_verdict_is_the_same_twice(made):
    text = source("cheats", "q_doubled")
    assert in_process.judged(made(1, "hard"), text) == in_process.judged(made(1, "hard"), text)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(20))
def test_everything_on_many_instances(made, level, seed):
    problem = made(seed, level)
    assert in_process.judged(problem, REFERENCE).score == pytest.approx(1.0, abs=1e-6)
    for name in REWRITES:
        text = source("rewrites", name)
        low, high = (float(part) for part in ast.get_docstring(ast.parse(text)).split("Score: ")[1].split(".."))
        assert low <= in_process.judged(problem, text).score <= high, name
    for name in sorted(set(CHEATS) - HOSTILE):
        with np.errstate(all="ignore"):
            assert in_process.judged(problem, CHEATS[name]).score == 0.0, name
