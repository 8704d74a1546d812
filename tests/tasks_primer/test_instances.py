"""What an instance is: the same bytes for one seed, other ones for another; complete prompts; hidden cases that lazy answers fail."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import canonical, instances
from tasks.primer.composing import composer, wording
from tests.tasks_primer import made

EVERY = [(task_id, level) for task_id in made.TASKS for level in made.LEVELS]


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_same_seed_same_bytes_and_other_seeds_other_instances(task_id, level, tmp_path):
    row = made.instance(task_id, level, 7)
    again = instances.make(made.task(task_id), seed=7, difficulty=level, split="train", folder=tmp_path)
    assert again == row
    assert len({made.instance(task_id, level, seed).content_sha for seed in range(40)}) == 40


@pytest.mark.parametrize("task_id", made.TASKS)
def test_every_family_appears_once_in_a_run_of_seeds(task_id):
    names = set(made.families(task_id))
    for block in range(2):
        seeds = range(block * len(names), (block + 1) * len(names))
        assert {made.instance(task_id, "easy", seed).family for seed in seeds} == names


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_prompt_states_function_arguments_and_constants(task_id, level):
    for seed in range(40):
        prompt, found = made.instance(task_id, level, seed).prompt, made.problem(task_id, level, seed)
        recipe = made.recipe(found)
        signature = f"{recipe['function']}({', '.join(recipe['arguments'])})"
        assert f"function `{signature}`" in prompt and f"`def {signature}:`" in prompt
        rest = prompt.replace(signature, "")
        constants = [*recipe["fixed"].values(), *(value for step in recipe["steps"] for value in step["parameters"])]
        for word in [*recipe["arguments"], *map(wording.number, constants)]:
            assert re.search(rf"(?<![\w.]){re.escape(word)}(?![\w])", rest), (word, prompt)
        assert prompt.rstrip().endswith("Answer with one Python code block.")
        assert not re.search(r"\{\w+\}", prompt)


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_public_side_holds_the_signature_and_nothing_else(task_id, level):
    found = made.problem(task_id, level, 3)
    assert [path.name for path in found.public.iterdir()] == ["signature.json"]
    assert set(canonical.loads((found.public / "signature.json").read_text())) == {"function", "arguments"}


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_prompt_shows_no_hidden_input(task_id, level):
    for seed in range(20):
        prompt, book = made.instance(task_id, level, seed).prompt, made.book(made.problem(task_id, level, seed))
        assert len(book["cases"]) >= 12
        for case in book["cases"]:
            shown = [value for value in case["arguments"] if isinstance(value, list) and len(value) > 1 and str(value) in prompt]
            assert not shown


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_no_constant_and_no_echo_is_right_throughout(task_id, level):
    for seed in range(40):
        book = made.book(made.problem(task_id, level, seed))
        texts = [canonical.dumps(case["expected"]) for case in book["cases"]]
        assert max(texts.count(text) for text in texts) <= 0.75 * len(texts)
        assert not composer.lazy(book["cases"], book["returns"])


@pytest.mark.parametrize(("task_id", "level"), EVERY)
def test_near_misses_are_wrong_somewhere(task_id, level):
    for seed in range(40):
        found = made.problem(task_id, level, seed)
        recipe, book = made.recipe(found), made.book(found)
        family = made.families(task_id)[recipe["family"]]
        rows = [dict(zip(recipe["order"], case["arguments"], strict=True)) | recipe["fixed"] for case in book["cases"]]
        expected = [case["expected"] for case in book["cases"]]
        assert [composer.evaluate(family, recipe, row) for row in rows] == expected
        for other, changed in composer._mistaken(family, recipe):
            assert [composer.evaluate(other, changed, row) for row in rows] != expected


def test_comparisons_are_tried_at_equality():
    """The levels of a family's comparison have a case exactly on the bound, whatever the seed."""
    for seed in range(40):
        found = made.problem("p01_expressions", "easy", seed)
        recipe = made.recipe(found)
        if recipe["family"] == "residual_test":
            rows = [dict(zip(recipe["order"], c["arguments"], strict=True)) | recipe["fixed"] for c in made.book(found)["cases"]]
            assert any(abs(row["measured"] - row["predicted"]) == row["threshold"] for row in rows)


def test_held_out_families_are_disjoint_in_name_function_and_words():
    one, two, held = (made.families(task_id) for task_id in made.TASKS)
    trained = {**one, **two}
    assert len(trained) == len(one) + len(two)
    assert not set(trained) & set(held)
    assert made.task("p03_held_out").spec.eval_only
    assert not any(made.task(task_id).spec.eval_only for task_id in made.TASKS[:2])
    called = {name for family in trained.values() for name in family.functions}
    assert not called & {name for family in held.values() for name in family.functions}


def test_no_function_of_an_instance_has_a_family_name():
    every = [family for task_id in made.TASKS for family in made.families(task_id).values()]
    canonical_names = {family.name for family in every} | {"any_family"}
    called = [name for family in every for name in family.functions]
    assert not canonical_names & set(called)
    assert len(called) == len(set(called))


@pytest.mark.parametrize("task_id", made.TASKS)
def test_every_wording_names_every_argument(task_id):
    sections = wording.sections(made.task(task_id).folder / "prompt.md")
    assert set(sections) == {f"family {name}" for name in made.families(task_id)}
    for name, family in made.families(task_id).items():
        bullets = wording.alternatives(sections[f"family {name}"])
        assert len(bullets) >= 2
        for bullet in bullets:
            assert set(wording.PLACE.findall(bullet)) == {argument.name for argument in family.arguments}, bullet


@settings(max_examples=30, deadline=None)
@given(st.integers(min_value=60, max_value=5000), st.sampled_from(EVERY))
def test_any_seed_makes_an_instance(seed, where):
    row = made.instance(*where, seed)
    assert row.family in made.families(where[0])


@given(st.text(alphabet="ab{} ", max_size=20))
def test_filling_never_reads_what_it_wrote(text):
    assert wording.fill("{one} {two}", {"one": text, "two": "{one}"}) == f"{text} {{one}}"


def test_an_unknown_placeholder_is_an_error():
    with pytest.raises(ValueError, match="placeholder"):
        wording.fill("{nobody}", {"one": "1"})
