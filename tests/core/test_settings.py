"""params.yaml: every mistake is one line that says where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import SettingsError
from stages import settings

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "params.yaml").read_text(encoding="utf-8")


def read(tmp_path: Path, text: str) -> settings.Settings:
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    return settings.read(path)


def test_the_settings_of_the_project_are_good() -> None:
    assert list(settings.read(ROOT / "params.yaml").rounds)[:2] == ["r00", "r01"]


def test_a_number_without_a_dot_is_a_number(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT.replace("learning_rate: 3e-4", "learning_rate: 1e-5")).train.learning_rate == 1e-5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("  attempts: 6\n  temperature: 0.8", "  attempts: four\n  temperature: 0.8"),
            "sample.attempts: Input should be a valid integer",
        ),
        (("  limit: 8", "  limits: 8"), "correct.limit: Field required"),
        (("seed: 0", "seed: 0\nsead: 1"), "sead: Extra inputs are not permitted, received 1"),
        (("seed: 0", "seed: 0\nseed: 1"), "expected YAML"),
        (("seed: 0", "seed: -1"), "seed: Input should be greater than or equal to 0"),
        (("previous: r00", "previous: r07"), "rounds.r01.previous must name base or an earlier round, received 'r07'"),
        (("decay: 0.5", "decay: 1.5"), "pool.decay: Input should be less than or equal to 1"),
        (("decay: 0.5", "decay: true"), "pool.decay"),
        (("require: C", "require: Z"), "sandbox.require"),
        (("rounds:", "rounds: ["), "expected YAML"),
    ],
)
def test_each_mistake_says_where(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    assert change[0] in TEXT
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, TEXT.replace(*change, 1))
    assert said in str(caught.value) and "params.yaml" in str(caught.value) and "\n" not in str(caught.value)


def stage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("change", "arguments", "said"),
    [
        (("p02_sequences:", "p02_sequence:"), ("stages.generate", "p01_expressions"), "did you mean p02_sequences"),
        (("  correct:", "  correct:"), ("stages.sample", "r09"), "round: expected one of r00, r01, received 'r09'"),
        (
            ("difficulty: easy, train: 0", "difficulty: easy, train: 4"),
            ("stages.generate", "p03_held_out"),
            "held out, expected 0, received 4",
        ),
        (
            ("difficulty: easy, train: 40", "difficulty: huge, train: 40"),
            ("stages.generate", "p01_expressions"),
            "received 'huge'",
        ),
        (("domain: cps", "domain: primer"), ("stages.generate", "t01_kalman_filter"), "expected cps, received primer"),
        (("seed: 0", "seed: x"), ("stages.start",), "seed: Input should be a valid integer"),
    ],
)
def test_a_stage_ends_with_one_line_and_no_traceback(
    change: tuple[str, str], arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "params.yaml").write_text(TEXT.replace(*change, 1), encoding="utf-8")
    (tmp_path / "tasks").symlink_to(ROOT / "tasks")
    ended = stage(tmp_path, *arguments)
    assert ended.returncode == 2, ended.stderr
    assert said in ended.stderr and len(ended.stderr.strip().splitlines()) == 1
