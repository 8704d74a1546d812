"""What is judged right and wrong: honest files pass everywhere, lazy ones nowhere, and the notes tell nothing hidden."""

import pytest

from assay.protocol import CandidateFault, Judgement
from tasks.primer import cases, descriptors, probes
from tests.tasks_primer import in_process, made

EVERY = [(task_id, level) for task_id in made.TASKS for level in made.LEVELS]


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_reference_and_rewrites_pass(task_id, level):
    folder = made.task(task_id).folder
    files = [folder / "reference.py", *sorted((folder / "rewrites").glob("*.py"))]
    assert len(files) >= 4
    for file in files:
        source = file.read_text(encoding="utf-8")
        assert "\nScore: 1.0\n" in source
        for seed in range(20):
            said = made.judged(made.problem(task_id, level, seed), source)
            assert isinstance(said, Judgement) and said.score == 1.0, (file.name, seed, said)
            assert not [name for name in probes.NAMES if said.metrics[name] == 0], (file.name, seed, said.metrics)


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_cheats_score_nothing(task_id, level):
    files = sorted((made.task(task_id).folder / "cheats").glob("*.py"))
    assert len(files) >= 8
    for file in files:
        if file.stem not in made.HOSTILE:
            source = file.read_text(encoding="utf-8")
            for seed in range(40):
                assert not made.passes(made.problem(task_id, level, seed), source), (file.name, seed)


@pytest.mark.parametrize("constant", [0, 1, -1, 2, 0.0, 0.5, 1.0, -1.0, True, False, [], [0.0], None])
def test_constants_score_nothing(constant):
    source = f"def any_family(*arguments):\n    return {constant!r}\n"
    for task_id, level in EVERY:
        for seed in range(40):
            assert not made.passes(made.problem(task_id, level, seed), source), (task_id, level, seed)


def _first(task_id, family, level="easy"):
    return next(p for p in (made.problem(task_id, level, seed) for seed in range(60)) if made.recipe(p)["family"] == family)


def test_a_wrong_answer_says_how_many_and_nothing_else():
    found = _first("p01_expressions", "residual_test")
    seen = []
    said = made.judged(found, "def any_family(*given):\n    return True\n", seen)
    assert said.score == 0.0 and said.failure_mode == "wrong_answer"
    assert said.gates[0].name == "cases" and 0 < said.gates[0].value < 1 and not said.gates[0].passed
    assert said.notes == (
        f"{round(said.gates[0].value * said.metrics['cases'])} of {said.metrics['cases']} hidden cases are right",
    )
    assert len(seen) == 1, "the twin isn't started for a wrong answer"


def test_the_twin_runs_after_a_right_answer_and_must_agree():
    found = _first("p01_expressions", "sensor_line")
    seen = []
    assert made.judged(found, "def sensor_line(raw, gain, offset):\n    return raw * gain + offset\n", seen).score == 1.0
    assert [program.twin for program in seen] == [False, True]
    said = made.judged(found, "def sensor_line(raw, gain, offset):\n    return raw * gain + offset + (1e-8 if TWIN else 0)\n")
    assert isinstance(said, CandidateFault) and said.mode == "nondeterministic"


def test_an_answer_that_depends_on_the_call_before_is_nondeterministic():
    found = _first("p01_expressions", "sensor_line")
    source = "def sensor_line(raw, gain, offset, calls=[]):\n    calls.append(raw)\n    return raw * gain + offset + 1e-10 * len(calls)\n"
    said = made.judged(found, source)
    assert isinstance(said, CandidateFault) and said.mode == "nondeterministic"


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("def any_family(*given):\n    return 'text'\n", "wrong_type"),
        ("def any_family(*given):\n    return float('nan')\n", "not_finite"),
        ("def any_family(*given):\n    raise ValueError\n", "exception"),
        ("x = 1\n", "missing_function"),
        ("def f(:\n", "syntax_error"),
        ("import nothing_of_this_name\n", "import_error"),
        ("def any_family(*given):\n    return True\n", "wrong_type"),
    ],
)
def test_faults_of_the_candidate_keep_their_mode(source, mode):
    said = made.judged(_first("p01_expressions", "sensor_line"), source)
    assert isinstance(said, CandidateFault) and said.mode == mode


def test_whole_numbers_and_numpy_scalars_are_numbers():
    found = _first("p01_expressions", "proportional")
    for text in ("int(v) if v == int(v) else v", "np.float64(v)", "np.array(v)"):
        source = f"import numpy as np\n\ndef proportional(setpoint, measured, gain):\n    v = gain * (setpoint - measured)\n    return {text}\n"
        assert made.passes(found, source), text


def test_a_list_of_another_length_is_a_wrong_answer():
    found = _first("p02_sequences", "slopes")
    said = made.judged(found, "def slopes(values, dt):\n    return [0.0] + [(b - a) / dt for a, b in zip(values, values[1:])]\n")
    assert said.score == 0.0 and said.metrics["share_right"] == 0.0


def test_tolerance_is_relative_and_counts_are_exact():
    assert cases.close(1.0 + 1e-7, 1.0, relative=1e-6, absolute=1e-9)
    assert not cases.close(1.0 + 1e-5, 1.0, relative=1e-6, absolute=1e-9)
    assert not cases.close(float("nan"), 1.0, relative=1.0, absolute=9.0)
    assert not cases.close([1.0, float("nan")], [1.0, 2.0], relative=1.0, absolute=9.0)
    assert not cases.close(False, True, relative=1.0, absolute=9.0)


def test_changing_the_input_is_a_fault():
    found = _first("p02_sequences", "average")
    said = made.judged(
        found, "def average(values):\n    total = sum(values) / len(values)\n    values.reverse()\n    return total\n"
    )
    assert isinstance(said, CandidateFault) and said.mode == "input_changed"


def test_probes_are_metrics_and_no_gates():
    found = _first("p01_expressions", "sensor_line")
    source = "def sensor_line(raw, gain, offset):\n    return raw * gain + offset if abs(raw) <= 10 and not isinstance(raw, int) else 0.0\n"
    said = made.judged(found, source)
    assert said.score == 1.0 and said.metrics["probe_repeatable"] == 1
    honest = made.judged(found, "def sensor_line(raw, gain, offset):\n    return raw * gain + offset\n")
    assert {name: honest.metrics[name] for name in probes.NAMES} in (
        dict.fromkeys(probes.NAMES, 1),
        dict(zip(probes.NAMES, (1, 1, None), strict=False)),
    )


def test_a_probe_that_fails_is_null_and_no_fault():
    found = _first("p01_expressions", "sensor_line")
    source = "def sensor_line(raw, gain, offset):\n    if isinstance(raw, int):\n        raise TypeError\n    return raw * gain + offset\n"
    said = made.judged(found, source)
    assert said.score == 1.0
    assert {said.metrics[name] for name in probes.NAMES} <= {1, None}


def test_adapting_keeps_a_file_without_a_family_as_it_is():
    found = made.problem("p01_expressions", "hard", 1)
    verifier = made.task("p01_expressions").verifier()
    for source in ("x = 1\n", "def f(:\n", "\0"):
        assert verifier.adapt(source, found) == source


def test_a_solution_of_the_prompt_itself_passes():
    """No adapter: the instance's own function in its own argument order."""
    found = _first("p01_expressions", "euler_advance")
    recipe = made.recipe(found)
    given = dict(zip(recipe["order"], recipe["arguments"], strict=True)) | {k: repr(v) for k, v in recipe["fixed"].items()}
    head = f"def {recipe['function']}({', '.join(recipe['arguments'])}):"
    source = f"{head}\n    return {given['x']} + {given['dt']} * {given['rate']}\n"
    said = made.task("p01_expressions").verifier().verify(found, source, in_process.runner(), "full")
    assert said.score == 1.0


def test_descriptors_come_from_the_tree_alone():
    plain = descriptors.describe("def f(x):\n    return x + 1\n")
    assert plain == descriptors.describe('def f(x):\n    """for while import numpy"""\n    # numpy loop\n    return x + 1\n')
    assert plain["style"] == "expression"
    styles = {
        "def f(x):\n    return x if x > 0 else 0\n": "branch",
        "def f(v):\n    return [x for x in v]\n": "comprehension",
        "def f(v):\n    for x in v:\n        pass\n": "loop",
        "def f(v):\n    return f(v[1:])\n": "recursion",
        "import numpy as np\n": "array",
    }
    assert {source: descriptors.describe(source)["style"] for source in styles} == styles
    assert set(styles.values()) | {"expression"} == set(descriptors.STYLES)
    assert descriptors.describe("def f(:") is None
