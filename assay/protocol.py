"""What a judge, a sandbox and a task say to one another.

A domain's `verifier.py` is ordinary code in *our* process. It asks the sandbox to run a `Program` (the submission and the calls
to make on it) and compares what came back. The process that runs the candidate gets the inputs of the calls and nothing else.

    verifier.verify(problem, submission, run, mode) -> Judgement
        reply = run(Program(...))          our side of the sandbox; raises SandboxFault when *we* fail
        values = reply.answers()           raises CandidateFault when the *candidate* failed

A domain module `tasks/<domain>/verifier.py` has `verify` and may have `adapt(source, problem) -> str` (turns a file of reference/,
rewrites/ or cheats/ into a submission for one instance). A task folder has `generate.py` with
`generate(seed, difficulty, public, private) -> Draft` (a `Difficulty`, and two empty folders) and `judge.py`, whose
functions its domain's verifier calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from assay.records import FailureMode, Gate

Scalar: TypeAlias = bool | int | float | str | None
Value: TypeAlias = "Scalar | list[Value] | dict[str, Value] | tuple[Value, ...] | np.ndarray[Any, Any]"
"""What a candidate is given: plain data, and arrays (bool, int64, float32 or float64), at any depth. An array is always a fresh copy."""

Mode = Literal["smoke", "full"]
Kind = Literal["float", "int", "bool", "text", "floats", "ints", "bools", "array", "tuple", "record", "callable"]


@dataclass(frozen=True)
class Returns:
    """What a call must return. The child refuses any other exact type, and our side checks again what came over.

    float: a Python or NumPy real number, or a 0-d array of one (bool is refused). int: the same for integers; bool: bool or
    numpy.bool_. floats, ints, bools: a list, a tuple or a 1-d array of them, handed over as a 1-d array. array: exactly
    numpy.ndarray, real dtype, converted to float64 (or int64 for dtype "int64"). text: str. tuple: exactly tuple, with `items` in order.
    record: a dict with exactly `names`, typed by `items`. callable: kept in the child; later calls name it "@<call number>".
    """

    kind: Kind
    shape: tuple[int, ...] | None = None
    """for array: the exact shape; for floats, ints, bools: (length,), or None where any length up to `at_most` may come"""
    dtype: Literal["float64", "int64", "bool"] = "float64"
    """for array: what it is converted to"""
    items: tuple[Returns, ...] = ()
    """for tuple and record: the parts"""
    names: tuple[str, ...] = ()
    """for record: the keys, in the order of `items`"""
    at_most: int = 1_000_000
    """for text: bytes; for a list without a shape: elements"""
    finite: bool = True
    """refuse NaN and infinities"""


@dataclass(frozen=True)
class Call:
    """One call of the candidate's callable."""

    function: str
    """its name in the submission, or "@i" for the callable that call i returned"""
    arguments: tuple[Value, ...]
    """by position"""
    returns: Returns
    """the contract of its result"""
    keywords: Mapping[str, Value] = field(default_factory=dict)
    """by name"""
    later: Callable[[tuple[Value, ...]], tuple[Value, ...]] | None = None
    """for closed loops: makes the arguments, on our side, from the values of all calls before this one; `arguments` is then empty"""


@dataclass(frozen=True)
class Limits:
    """What one process may use; each is enforced on our side or by the kernel."""

    cpu_seconds: float = 10.0
    wall_seconds: float = 40.0
    memory_bytes: int = 1 << 30
    """above what the interpreter and its libraries have mapped already"""
    output_bytes: int = 1 << 16
    """of stdout and stderr each: a flood beyond it is cut and ends the process with `output_limit`"""
    file_bytes: int = 1 << 24
    """size of the private work folder"""
    answer_bytes: int = 1 << 26
    """of all returned values together"""


@dataclass(frozen=True)
class Program:
    """One process of a candidate: its source, what to call, and under which limits."""

    source: str
    calls: tuple[Call, ...]
    limits: Limits = Limits()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """public files, by relative path, laid into the work folder before the source is loaded"""
    twin: bool = False
    """run it with another hash seed, other random seeds, and maybe another clock: the determinism twin"""


class CandidateFault(Exception):
    """The candidate failed: data, not an error of ours.

    Args:
        mode: why, from the closed list of failure modes.
        note: one line that its author may read; nothing hidden.
    """

    def __init__(self, mode: FailureMode, note: str) -> None:
        super().__init__(note)
        self.mode: FailureMode = mode
        self.note = note


@dataclass(frozen=True)
class Reply:
    """What came back from one process."""

    values: tuple[Value, ...]
    """one a call, in order; fewer when a fault ended the process; `callable` gives None"""
    fault: FailureMode
    """empty when every call was answered as contracted"""
    detail: str
    """one line built on our side from checked parts (builtin exception class, line number, call number): never the candidate's text"""
    stdout: str
    stderr: str
    cpu_seconds: float
    wall_seconds: float
    isolation: str

    def answers(self) -> tuple[Value, ...]:
        """The values of all calls.

        Raises:
            CandidateFault: a fault ended the process.
        """
        if self.fault:
            raise CandidateFault(self.fault, self.detail)
        return self.values


@dataclass(frozen=True)
class Artifact:
    """A file that a workspace's run must leave, and what it must hold. Only plain tensors come over: nothing is ever unpickled."""

    path: str
    """relative to the workspace, with `/`; a file that the workspace itself has there is left out before the run"""
    format: Literal["npy", "safetensors"] = "npy"
    """which strict reader opens it; the suffix says nothing"""
    shape: tuple[int | None, ...] | None = None
    """npy: the exact shape, None where a dimension is free; None: any shape"""
    dtypes: tuple[str, ...] = ()
    """NumPy's names of what may occur, `float32` say; empty: bool, int8 .. uint64, float16 .. float64, bfloat16 (comes as float32)"""
    at_most: int = 1 << 24
    """bytes of the file"""
    tensors: int = 500
    """safetensors: how many at most"""
    finite: bool = True
    """refuse NaN and infinities"""
    optional: bool = False
    """whether it may be missing"""


Tensors: TypeAlias = "np.ndarray[Any, Any] | Mapping[str, np.ndarray[Any, Any]]"
"""What an artifact holds: an array (npy), or arrays by name (safetensors)."""


@dataclass(frozen=True)
class Workspace:
    """One process that runs a script of a tree of files, a patched one say, as `python` would, and hands back artifacts."""

    files: Mapping[str, bytes]
    """the tree, by relative path, laid into the work folder"""
    target: str
    """a script's path (`train.py`), or a module's dotted name; it runs as `__main__`"""
    kind: Literal["script", "module"] = "script"
    """what `target` names"""
    arguments: tuple[str, ...] = ()
    """`sys.argv[1:]`"""
    artifacts: tuple[Artifact, ...] = ()
    """what to bring back, in order; all together must fit into `limits.answer_bytes`"""
    limits: Limits = Limits()
    """`file_bytes` holds the tree, all that the run writes, and the artifacts"""
    seed: int | None = None
    """of `random`, `numpy.random` and torch, so that honest training repeats itself; None: fresh for each run"""
    twin: bool = False
    """run it in the process with the other hash seed; where `seed` is None with other random seeds too"""


@dataclass(frozen=True)
class WorkspaceReply:
    """What came back from one run of a workspace. What it printed and how it exited is no verdict on it."""

    artifacts: Mapping[str, Tensors]
    """by path; complete only without a fault, and then without the optional ones that are missing"""
    fault: FailureMode
    """empty when the run ended by itself and every artifact is as asked"""
    detail: str
    """one line built on our side from checked parts, as in `Reply`"""
    stdout: str
    stderr: str
    cpu_seconds: float
    wall_seconds: float
    isolation: str

    def results(self) -> Mapping[str, Tensors]:
        """The artifacts.

        Raises:
            CandidateFault: the run or an artifact failed.
        """
        if self.fault:
            raise CandidateFault(self.fault, self.detail)
        return self.artifacts


class Sandbox(Protocol):
    """Where programs run. Safe to call from several threads at once; `workers` programs run at a time."""

    workers: int
    isolation: str
    """`A: namespaces, uid, landlock, seccomp, cgroup` and the like; see assay/sandbox"""

    def run(self, program: Program) -> Reply:
        """Run one program to its end, its limits or its fault; raises SandboxFault when we failed."""

    def run_workspace(self, workspace: Workspace) -> WorkspaceReply:
        """Run a script of a tree of files to its end, its limits or its fault; raises SandboxFault when we failed."""

    def close(self) -> None:
        """End every process that this sandbox started."""


@dataclass(frozen=True)
class Difficulty:
    """One level of a task, with what it means there."""

    name: str
    """easy, medium, hard, ..."""
    axes: Mapping[str, Any]
    """`difficulties.<name>` of task.yaml"""


@dataclass(frozen=True)
class Draft:
    """What a task's `generate` hands back beside the two folders that it wrote."""

    prompt: str
    """what the model reads"""
    family: str
    """what this instance has in common with others of its task"""


@dataclass(frozen=True)
class Problem:
    """One instance as its judge sees it: both folders and the task's numbers."""

    instance_id: str
    task_id: str
    seed: int
    difficulty: Difficulty
    public: Path
    private: Path
    contract: Mapping[str, Any]
    """`contract` of task.yaml"""
    thresholds: Mapping[str, float]
    """`thresholds` of task.yaml"""
    limits: Limits
    """`limits` of task.yaml"""
    judge: Any
    """the task's judge.py, loaded"""


@dataclass(frozen=True)
class Judgement:
    """What a verifier says of a submission that ran."""

    score: float
    """0 .. 1; the judging module makes it 0 when a gate fails"""
    gates: tuple[Gate, ...]
    metrics: Mapping[str, float | int | None]
    notes: tuple[str, ...] = ()
    """what the author may be told: nothing hidden"""
    failure_mode: FailureMode = "gate_failed"
    """used when it didn't pass"""


Run: TypeAlias = Callable[[Program], Reply]
