"""`assay check` finds what is wrong: a folder with one fault for each thing that it promises to check."""

from __future__ import annotations

import textwrap
from pathlib import Path

from assay import catalog
from assay.contract import check, cosmetic
from assay.protocol import Sandbox


def failing(home: Path, sandbox: Sandbox) -> list[str]:
    catalog.load.cache_clear()
    task = catalog.scan(home.parents[1])["toy"]
    return [finding.name for finding in check(task, sandbox, seeds=(0, 1)) if not finding.passed]


def test_a_good_folder_holds(home: Path, sandbox: Sandbox) -> None:
    assert failing(home, sandbox) == []


def test_what_is_told_at_a_harder_level_only_is_found(home: Path, sandbox: Sandbox) -> None:
    (home / "task.yaml").write_text((home / "task.yaml").read_text().replace("{easy: {}}", "{easy: {}, hard: {}}"))
    text = (home / "generate.py").read_text()
    told = "(str(1.23456789 + seed) if difficulty.name == 'hard' else '') + f"
    (home / "generate.py").write_text(text.replace("prompt=f", f"prompt={told}"))
    assert failing(home, sandbox) == ["secrecy: toy-hard-0: no hidden number is told"]


def test_every_level_is_run_when_asked(home: Path, sandbox: Sandbox) -> None:
    (home / "task.yaml").write_text((home / "task.yaml").read_text().replace("{easy: {}}", "{easy: {}, hard: {}}"))
    catalog.load.cache_clear()
    task = catalog.scan(home.parents[1])["toy"]
    names = [finding.name for finding in check(task, sandbox, seeds=(0,), levels=("easy", "hard"), groups={"cheats"})]
    assert "cheats/c7.py on toy-easy-0" in names and "cheats/c7.py on toy-hard-0" in names


def test_each_fault_is_found(home: Path, sandbox: Sandbox) -> None:
    (home / "cheats" / "c7.py").write_text("def f(x):\n    return x * 7\n")
    (home / "rewrites" / "r1.py").write_text('"""Wrong.\n\nScore: 1.0\n"""\ndef f(x):\n    return 6 * x\n')
    (home / "generate.py").write_text((home / "generate.py").read_text() + "\nCOUNT = [0]\n")
    text = (home / "generate.py").read_text().replace("prompt=f", "prompt=str(1.23456789 + seed) + f")
    (home / "generate.py").write_text(text)
    found = failing(home, sandbox)
    assert "cheats/c7.py on toy-easy-0" in found
    assert "rewrites/r1.py on toy-easy-1" in found
    assert "secrecy: toy-easy-0: no hidden number is told" in found
    assert not any(name.startswith("reference") for name in found)


def test_a_generator_with_a_clock_is_found(home: Path, sandbox: Sandbox) -> None:
    text = (
        (home / "generate.py")
        .read_text()
        .replace("return Draft", "import uuid\n    (public / 'id').write_text(uuid.uuid4().hex)\n    return Draft")
    )
    (home / "generate.py").write_text(text)
    assert "generation: easy: same seed, same bytes" in failing(home, sandbox)


def test_a_wrong_reference_is_found(home: Path, sandbox: Sandbox) -> None:
    (home / "reference.py").write_text("def f(x):\n    return x * 8\n")
    assert "reference, full on toy-easy-0" in failing(home, sandbox)


def test_missing_files_end_the_check(home: Path, sandbox: Sandbox) -> None:
    (home / "prompt.md").unlink()
    (home / "cheats" / "c0.py").unlink()
    assert failing(home, sandbox) == ["files", "files: cheats"]


def test_a_cosmetic_rewrite_changes_the_text_and_not_the_program() -> None:
    source = textwrap.dedent('''
        def f(x, *, scale=2):
            """Doc."""
            total = 0  # comment
            for item in x:
                total += item * scale
            return total
    ''')
    changed = cosmetic.rewrite(source)
    assert "total" not in changed and "Doc" not in changed and "scale=2" in changed
    spaces: list[dict[str, object]] = [{}, {}]
    for text, space in zip((source, changed), spaces, strict=True):
        exec(text, space)
    assert spaces[0]["f"]([1, 2]) == spaces[1]["f"]([1, 2]) == 6  # type: ignore[operator]
