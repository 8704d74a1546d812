"""t07: honest solutions, and submissions that are subtly wrong, in process; hostile ones run in the contract tests."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from assay import instances
from tasks.cps import verifier
from tasks.cps.t07_hybrid_automaton import judge
from tests.tasks_cps import in_process

TASK = "t07_hybrid_automaton"
LEVELS = ("easy", "medium", "hard")
REFERENCE = in_process.reference(TASK)
REWRITES = in_process.sources(TASK, "rewrites")
CHEATS = in_process.sources(TASK, "cheats")
HOSTILE = {"exit_at_import", "forged_result", "hidden_files", "patched_numpy"}
FAULTS = {
    "always_equal": "wrong_type",
    "float_modes": "wrong_type",
    "masked": "wrong_type",
    "mutates": "input_changed",
    "named_tuple": "wrong_type",
    "not_finite": "not_finite",
    "whole_record": "wrong_shape",
}
MEANT = {
    "bias_first": "nominal: means of a mode",
    "bias_forgotten": "noisy: means of a mode",
    "caches_first": "shifted: accuracy over the oracle's",
    "dwell_everywhere": "nominal: accuracy over the oracle's",
    "dwell_ignored": "dwell: labels against the law",
    "fewer_modes": "nominal: rand over the oracle's",
    "first_record": "noisy: labels against the law",
    "guard_offset_old": "shifted: guard between old and new",
    "guards_dropped": "nominal: guard",
    "guards_flipped": "nominal: guard",
    "hash_random": "dwell: rand over the oracle's",
    "labels_late": "nominal: accuracy over the oracle's",
    "labels_outside": "dwell: accuracy over the oracle's",
    "law_ignored": "noisy: labels against the law",
    "one_unit_only": "transformed: labels that move",
    "output_clusters": "dwell: rand over the oracle's",
    "overflowing": "nominal: one-step ratio",
    "params_swapped": "dwell: means of a mode",
    "positive_scale_only": "transformed: means that move",
    "record_halves": "nominal: rand over the oracle's",
    "seeded_random": "nominal: share of one model's distance",
    "single_arx": "dwell: rand over the oracle's",
    "visible_example": "dwell: means of a mode",
    "zeros": "nominal: share of one model's distance",
}
SUBTLE = sorted(set(CHEATS) - HOSTILE - set(FAULTS) - {"noisy"})


def gates(judgement):
    return {gate.name: gate for gate in judgement.gates}


def band(source: str) -> tuple[float, float]:
    low, high = ast.get_docstring(ast.parse(source)).split("Score: ")[1].split()[0].split("..")
    return float(low), float(high)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_reference_passes(made, level, seed):
    judgement = in_process.judged(made(seed, level, TASK), REFERENCE)
    assert in_process.failed(judgement) == []
    low, high = in_process.task(TASK).spec.reference["full"]
    assert low <= judgement.score <= high


@pytest.mark.parametrize("name", REWRITES)
def test_other_algorithms_pass(made, name):
    low, high = band(REWRITES[name])
    for level in LEVELS:
        judgement = in_process.judged(made(0, level, TASK), REWRITES[name])
        assert low <= judgement.score <= high, in_process.failed(judgement)


@pytest.mark.parametrize("level", LEVELS)
def test_ends_of_the_scale(made, level):
    for seed in (0, 1):
        ends = verifier.yardsticks(made(seed, level, TASK))
        assert in_process.failed(ends["oracle"]) == []
        assert ends["oracle"].score == pytest.approx(1.0, abs=1e-6)
        assert ends["baseline"].score == pytest.approx(0.0, abs=1e-9)


def test_renamed_labels_score_the_same(made):
    problem = made(1, "hard", TASK)
    renamed = REFERENCE.replace("def identify_modes(", "def plain(") + (
        "\n\ndef identify_modes(Y, U, K, na, nb, dwell):\n"
        "    modes, params, guards = plain(Y, U, K, na, nb, dwell)\n"
        "    return K - 1 - modes, params[::-1].copy(), 3.0 * guards[::-1] + (1.0 if dwell == 0 else 0.0)\n"
    )
    first, second = (in_process.judged(problem, source) for source in (REFERENCE, renamed))
    assert first.score == pytest.approx(second.score, abs=1e-9) and first.score > 0.5


def test_cosmetic_rewrite(made):
    text = ast.unparse(ast.parse(REFERENCE)).replace("labelled", "lawful")
    scores = [in_process.judged(made(0, "medium", TASK), one).score for one in (REFERENCE, text)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@pytest.mark.parametrize("name", SUBTLE)
def test_wrong_answers_score_zero(made, name):
    for level in LEVELS:
        judgement = in_process.judged(made(0, level, TASK), CHEATS[name])
        assert (judgement.score, judgement.failure_mode) == (0.0, "gate_failed"), level
        assert judgement.notes, "the author is told which gate failed"
        if name in MEANT:
            assert not gates(judgement)[MEANT[name]].passed, (level, in_process.failed(judgement))


@pytest.mark.parametrize(("name", "mode"), FAULTS.items())
def test_faults_are_named(made, name, mode):
    judgement = in_process.judged(made(0, "easy", TASK), CHEATS[name])
    assert (judgement.score, judgement.failure_mode) == (0.0, mode)


def test_noise_is_caught_by_the_twin(made):
    judgement = in_process.judged(made(0, "easy", TASK), CHEATS["noisy"])
    assert judgement.failure_mode == "nondeterministic"


def test_same_seed_same_bytes_other_seeds_and_levels_other_bytes(tmp_path):
    task = in_process.task(TASK)

    def sha(where, seed, level):
        return instances.make(task, seed=seed, difficulty=level, split="train", folder=tmp_path / where).content_sha

    assert sha("a", 7, "easy") == sha("b", 7, "easy")
    assert len({sha("a", 7, "easy"), sha("a", 8, "easy"), sha("a", 7, "hard")}) == 3


@pytest.mark.parametrize("level", LEVELS)
def test_many_seeds_generate(level, tmp_path):
    problems = [in_process.problem(seed, level, tmp_path, TASK) for seed in range(100, 106)]
    for problem in problems:
        for name, regime in judge.hidden(problem).items():
            kind = problem.difficulty.axes["regimes"][name]
            assert regime.modes.max() == regime.automaton.K - 1 and np.abs(regime.Y).max() < 15.0
            assert (kind.get("dwell", 0) == 0) == bool(regime.automaton.guards.any())


def test_public_folder_and_prompt_hold_nothing_hidden(made):
    problem = made(1, "hard", TASK)
    visible = {path.read_bytes() for path in problem.public.rglob("*.npy") if path.stem != "orders"}
    hidden = {path.read_bytes() for path in problem.private.rglob("*.npy") if path.stem != "orders"}
    assert hidden and not visible & hidden
    assert not any("private" in path.as_posix() for path in problem.public.rglob("*"))


def test_prompt_is_complete_and_not_too_long(tmp_path):
    row = instances.make(in_process.task(TASK), seed=0, difficulty="hard", split="train", folder=tmp_path)
    assert len(row.prompt.split()) <= 1100 and "$" not in row.prompt
    assert row.prompt.rstrip().endswith("Answer with the whole file in one Python code block.")


def test_calls_are_two_a_regime_and_the_second_is_the_first_transformed(made):
    problem = made(0, "medium", TASK)
    calls, factor = judge.calls(problem, "full"), problem.thresholds["scale_factor"]
    assert list(calls) == ["measured", "transformed"]
    for plain, other in zip(calls["measured"], calls["transformed"], strict=True):
        assert plain.arguments[2:] == other.arguments[2:]
        Y, U = (other.arguments[i] / factor for i in (0, 1))
        rows = [next(i for i, row in enumerate(Y) if np.allclose(row, y)) for y in plain.arguments[0]]
        assert sorted(rows) == list(range(len(Y))) != rows
        assert np.allclose(U[rows], plain.arguments[1])


def test_verdict_is_the_same_twice(made):
    problem = made(1, "easy", TASK)
    assert in_process.judged(problem, CHEATS["labels_late"]) == in_process.judged(problem, CHEATS["labels_late"])


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(20))
def test_everything_on_many_instances(made, level, seed):
    problem = made(seed, level, TASK)
    low, high = in_process.task(TASK).spec.reference["full"]
    assert low <= in_process.judged(problem, REFERENCE).score <= high
    for name, source in REWRITES.items():
        assert band(source)[0] <= in_process.judged(problem, source).score <= band(source)[1], name
    for name in sorted(set(CHEATS) - HOSTILE):
        assert in_process.judged(problem, CHEATS[name]).score == 0.0, name
