"""The types of a round: one frozen dataclass a table, one line a field with its range and unit.

A table is the plural of its type. `assay.tables` derives the Parquet schema from these classes and from nothing else; a field of
type `Literal` is a closed list that is checked on every write and read. `attempt_id` joins all tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["scored", "candidate_fault", "harness_fault"]
Split = Literal["train", "eval"]
Source = Literal["model", "correction", "reference", "cheat"]
Extraction = Literal["fenced", "bare", "none", "unfinished_thinking", "given"]
FailureMode = Literal[
    "",  # passed
    "no_code",  # nothing in the answer reads as code
    "syntax_error",  # the code doesn't parse
    "import_error",  # the module raised while it was loaded
    "missing_function",  # the contracted callable isn't there
    "exception",  # a call raised
    "wrong_type",  # a returned value isn't of the contracted type
    "wrong_shape",  # a returned array or list isn't of the contracted size
    "not_finite",  # NaN or infinity where a number was asked
    "input_changed",  # the call wrote into its inputs
    "nondeterministic",  # the twin process answered otherwise
    "wrong_answer",  # hidden cases differ
    "gate_failed",  # a gate of the task isn't met
    "early_exit",  # the process ended before it answered
    "crashed",  # a signal such as SIGSEGV
    "forbidden",  # a system call or file that isn't allowed
    "cpu_limit",
    "wall_limit",
    "memory_limit",
    "output_limit",
    "harness",  # ours, see the verdict's events
]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    """who speaks"""
    content: str
    """the text"""


@dataclass(frozen=True)
class Gate:
    """A condition that zeroes the score when it isn't met."""

    name: str
    """which condition"""
    passed: bool
    """whether it holds"""
    value: float | None
    """what was measured, in the gate's own unit; null when it wasn't a number"""
    bound: float | None
    """what it is compared with, same unit; null for a yes-or-no condition"""


@dataclass(frozen=True)
class Instance:
    """A task, a seed and a difficulty: one problem, fully determined by them."""

    instance_id: str
    """<task_id>-<difficulty>-<seed>"""
    task_id: str
    """the task's folder name"""
    domain: str
    """the domain's folder name"""
    family: str
    """what instances have in common within a task; intervals are clustered by it"""
    seed: int
    """0 and up"""
    difficulty: str
    """one of the task's levels"""
    split: Split
    """train: attempted and learnt from; eval: only measured"""
    prompt: str
    """what the model reads"""
    content_sha: str
    """SHA-256 of prompt, public and private files"""


@dataclass(frozen=True)
class Attempt:
    """One submission and where it came from."""

    attempt_id: str
    """<round>/<instance_id>/<source>-<draw>"""
    instance_id: str
    """joins to the instance"""
    round: str
    """base, r00, r01, ..."""
    draw: int
    """0 .. attempts - 1 for one instance"""
    source: Source
    """who wrote it"""
    parent_id: str | None
    """the attempt that a correction corrects"""
    model_id: str
    """content identity of the model that wrote it"""
    seed: int
    """the sampler's seed for this attempt"""
    messages: tuple[Message, ...]
    """the conversation before the completion"""
    completion: str
    """what the model wrote"""
    completion_tokens: int
    """its length in tokens, the end mark included"""
    finish: Literal["stop", "length", "given"]
    """why it ended"""
    submission: str | None
    """the code taken out of the completion; null when there was none"""
    extraction: Extraction
    """how it was taken out"""


@dataclass(frozen=True)
class Verdict:
    """What the judge says of one attempt."""

    attempt_id: str
    """joins to the attempt"""
    outcome: Outcome
    """a harness fault is ours and never a score"""
    score: float
    """0 .. 1; 0 unless scored"""
    passed: bool
    """whether the score reaches the task's `pass_score` with every gate met"""
    failure_mode: FailureMode
    """why it didn't pass; empty when it did"""
    gates: tuple[Gate, ...]
    """in the order of the task's judge"""
    metrics: str
    """canonical JSON of numbers and nulls"""
    notes: tuple[str, ...]
    """what the author of the attempt may be told: nothing hidden"""
    events: tuple[str, ...]
    """what happened on our side: retries, non-finite metrics, a store hit is not an event"""
    isolation: str
    """the layers that were in force, `A: ...` to `D: ...`; empty when nothing ran"""
    judge_sha: str
    """identity of the judge, the task and the instance that gave it"""


@dataclass(frozen=True)
class Review:
    """What the rubric says of one attempt; all null when nobody reviewed it."""

    attempt_id: str
    """joins to the attempt"""
    code_quality: int | None
    """0 .. 3"""
    robustness: int | None
    """0 .. 3"""
    explanation: int | None
    """0 .. 3"""
    normalized: float | None
    """(sum of the three) / 9"""
    feedback: str | None
    """one paragraph"""
    corrected_sketch: str | None
    """a whole replacement file"""
    judge_model: str | None
    """who reviewed"""
    rubric_sha: str
    """SHA-256 of the rubric's text"""
    cost_usd: float
    """US dollars, 0 and up"""
    why_null: str | None
    """why there is no review"""


@dataclass(frozen=True)
class Reward:
    """The numbers that rank an attempt; a term that nothing measured is null."""

    attempt_id: str
    """joins to the attempt"""
    combined: float
    """0.7 score + 0.3 rubric where the score is above 0 and a review exists, else the score: 0 .. 1"""
    empirical: float | None
    """0 .. 1.5"""
    invariants: float | None
    """0 .. 1"""
    novelty: float | None
    """0 .. 1"""
    calibration: float | None
    """0 .. 1"""
    total: float
    """what the pool ranks by; the combined score until the composite terms exist"""


@dataclass(frozen=True)
class Elite:
    """The best attempt of one cell of behaviour."""

    cell: str
    """which cell"""
    attempt_id: str
    """joins to the attempt"""
    fitness: float
    """the reward's total"""
    descriptors: str
    """canonical JSON of the descriptors"""
    attic: bool
    """kept although it failed, for correction pairs"""


@dataclass(frozen=True)
class Lesson:
    """One conversation to train on; loss falls on its last turn."""

    lesson_id: str
    """<round of the pool>/<attempt_id>"""
    attempt_id: str
    """joins to the attempt that it was made of"""
    instance_id: str
    """joins to the instance"""
    kind: Literal["positive", "correction", "elite"]
    """why it teaches"""
    messages: tuple[Message, ...]
    """system, user, assistant; five turns for a correction"""
    weight: float
    """share of the loss, above 0"""
    why: str
    """the rule that let it in, in words"""
    tokens: int
    """length of the whole conversation in tokens"""
    trained_tokens: int
    """length of what carries loss, 1 and up"""


@dataclass(frozen=True)
class Step:
    """One optimiser step of a training run."""

    step: int
    """1 and up"""
    loss: float
    """mean cross-entropy over trained tokens, nats"""
    learning_rate: float
    """at this step"""
    tokens: int
    """tokens in the step, padding left out"""
