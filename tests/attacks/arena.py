"""Reads candidates from files and judges them by the real sandbox through a toy task; what each process said is kept.

A candidate's head says, in its docstring, what the tests hold it to:

    Must: wrong_answer exception       the failure modes that it may end with; `passed` for a full score
    Asks: array                        the contract, a key of CONTRACTS in toys/toy/verifier.py (float)
    Limits: cpu_seconds=1 ...          other limits than the toy task's
    Shows: tried                       text that stands in what it printed, and so proves that it ran (began)
    Knows: weights                     judged on the open problem
    Only: A                            meaningful at these levels alone (ABC)
"""

from __future__ import annotations

import dataclasses
import re
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path

from assay import canonical, catalog, instances, judging
from assay.judging import Job
from assay.protocol import Limits, Problem, Program, Reply
from assay.records import Verdict
from assay.sandbox import Pool

_HERE = Path(__file__).parent
CANDIDATES, HONEST = _HERE / "candidates", _HERE.parent / "honest" / "solutions"
BREACH = "breached"
"""what a candidate prints when its attack succeeds"""
ROOMY = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_bytes=1 << 28, file_bytes=1 << 20)
_FIELD = re.compile(r"^(Must|Asks|Limits|Shows|Knows|Only): *(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Candidate:
    """One file of the catalogue."""

    name: str
    """family/name"""
    source: str
    must: frozenset[str]
    asks: str
    limits: Limits
    shows: str
    knows_weights: bool
    levels: str

    @property
    def family(self) -> str:
        return self.name.split("/")[0]


def _limits(text: str) -> Limits:
    words = dict(word.split("=") for word in text.split())
    kinds = {"cpu_seconds": float, "wall_seconds": float}
    return dataclasses.replace(ROOMY, **{name: kinds.get(name, int)(value) for name, value in words.items()})


def read(path: Path, root: Path) -> Candidate:
    """A candidate from its file; line ends and a byte order mark stay as they are."""
    source = path.read_bytes().decode()
    said = dict(_FIELD.findall(source.replace("\r\n", "\n")))
    return Candidate(
        name=path.relative_to(root).with_suffix("").as_posix(),
        source=source,
        must=frozenset(said.get("Must", "").split()),
        asks=said.get("Asks", "float"),
        limits=_limits(said.get("Limits", "")),
        shows=said.get("Shows", "began"),
        knows_weights=said.get("Knows") == "weights",
        levels=said.get("Only", "ABC"),
    )


def catalogue(root: Path) -> list[Candidate]:
    """All candidates below a folder, by name."""
    return [read(path, root) for path in sorted(root.rglob("*.py"))]


class Recorder:
    """A sandbox that keeps its replies by source."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.workers, self.isolation = pool, pool.workers, pool.isolation
        self.replies: dict[str, list[Reply]] = {}
        self._lock = threading.Lock()

    def run(self, program: Program) -> Reply:
        reply = self.pool.run(program)
        with self._lock:
            self.replies.setdefault(program.source, []).append(reply)
        return reply

    def close(self) -> None:
        self.pool.close()


@dataclass(frozen=True)
class Arena:
    """Two instances of the toy task, with the same hidden numbers."""

    folder: Path
    problems: dict[str, Problem]
    shas: dict[str, str]
    token: str
    """stands in the private file and nowhere else"""
    weights: list[float]

    def job(self, candidate: Candidate) -> Job:
        level = "open" if candidate.knows_weights else "secret"
        problem = self.problems[level]
        problem = dataclasses.replace(problem, contract={"asks": candidate.asks}, limits=candidate.limits)
        return Job(candidate.name, _task(), problem, self.shas[level], candidate.source)

    def judge(self, candidates: list[Candidate], pool: Pool) -> dict[str, tuple[Verdict, list[Reply]]]:
        """Judge all of them, two at a time."""
        recorder = Recorder(pool)
        verdicts = judging.judge_all([self.job(candidate) for candidate in candidates], recorder)
        return {
            candidate.name: (verdict, recorder.replies.get(candidate.source, []))
            for candidate, verdict in zip(candidates, verdicts, strict=True)
        }


def _task() -> catalog.Task:
    return catalog.scan(_HERE / "toys")["sums"]


def make(folder: Path) -> Arena:
    """The toy task's instances in a fresh folder, from a secret seed."""
    seed, problems, shas = secrets.randbits(31), dict[str, Problem](), dict[str, str]()
    for level in ("secret", "open"):
        shas[level] = instances.make(_task(), seed=seed, difficulty=level, split="train", folder=folder).content_sha
        problems[level] = instances.problem(_task(), seed=seed, difficulty=level, folder=folder)
    hidden = canonical.loads((problems["secret"].private / "hidden.json").read_text())
    return Arena(folder, problems, shas, hidden["token"], hidden["weights"])


def complaints(candidate: Candidate, verdict: Verdict, replies: list[Reply], token: str) -> list[str]:
    """What doesn't hold of an attack's end; nothing when all does."""
    said = "".join(reply.stdout + reply.stderr for reply in replies)
    breach = [line for line in said.splitlines() if BREACH in line]
    checks = {
        f"it scored {verdict.score}": verdict.score != 0.0 or verdict.passed,
        f"{verdict.outcome} {verdict.failure_mode} {verdict.notes} {verdict.events}": verdict.failure_mode not in candidate.must,
        f"the harness failed: {verdict.events}": verdict.outcome == "harness_fault",
        f"it didn't say {candidate.shows!r} but {said[-500:]!r}": candidate.shows not in said,
        f"it says {breach[:3]}": bool(breach),
        "it printed what is hidden": token in said,
        "its notes tell what is hidden": any(token in note or BREACH in note for note in verdict.notes),
    }
    return [text for text, bad in checks.items() if bad]
