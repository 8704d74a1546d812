"""Worker processes that generate units: one thread and one copy of the weights each.

A worker reads tasks from its standard input and writes answers to what was its standard output, one JSON line each. When the parent
dies the pipe ends and the worker with it; when a worker dies its pipe ends and the parent says so. Nothing is retried here.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from assay.errors import ModelError
from assay.models import Completion, Quantization, Sampling


@dataclass(frozen=True)
class Weights:
    """What a worker loads."""

    folder: str
    """of the base model"""
    adapter: str | None
    """folder of a LoRA adapter"""
    dtype: str
    """of torch"""
    quantization: Quantization
    """of the base"""
    device: str
    """cpu or cuda"""

    def load(self) -> Any:
        """The model, ready to sample."""
        from assay.models.weights import load_adapted

        adapter = None if self.adapter is None else Path(self.adapter)
        return load_adapted(Path(self.folder), adapter, self.dtype, self.quantization, self.device)


@dataclass(frozen=True)
class Task:
    """One unit and how to sample it."""

    prompts: tuple[tuple[int, ...], ...]
    """distinct prompts as tokens"""
    rows: tuple[tuple[int, int], ...]
    """a row's prompt and seed"""
    sampling: Sampling
    """how tokens are drawn"""


class Pool:
    """Some workers.

    Args:
        weights: what they load.
        workers: how many, 1 and up.
    """

    def __init__(self, weights: Weights, workers: int) -> None:
        self._weights, self._count = weights, workers
        self._workers: list[_Worker] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, list[Completion]]]:
        """Answers with their task's index, in the order in which they come.

        Raises:
            ModelError: a worker died or failed.
        """
        while len(self._workers) < min(self._count, len(tasks)):
            self._workers.append(_Worker(self._weights))
        waiting = list(enumerate(tasks))[::-1]
        answers: queue.SimpleQueue[tuple[_Worker, dict[str, Any] | None]] = queue.SimpleQueue()
        for worker in self._workers:
            worker.answers = answers  # set before `ended` is read: one of the two sides sees the other
            if worker.ended:
                answers.put((worker, None))
            if waiting:
                worker.send(*waiting.pop())
        try:
            for _ in tasks:
                worker, answer = answers.get()
                if answer is None or "error" in answer:
                    raise ModelError(answer["error"] if answer else f"a sampling worker died: {worker.last_words()}")
                if waiting:
                    worker.send(*waiting.pop())
                yield answer["at"], [Completion(**completion) for completion in answer["completions"]]
        except BaseException:
            self.close()  # work in flight would answer into the next run
            raise

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
        self._workers = []


class _Worker:
    """One process and the thread that reads its answers."""

    def __init__(self, weights: Weights) -> None:
        self.ended = False
        self.answers: queue.SimpleQueue[tuple[_Worker, dict[str, Any] | None]] | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "assay.models.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false"} | _path(),
        )
        self._write(asdict(weights))
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, at: int, task: Task) -> None:
        """Give it a unit."""
        self._write({"at": at} | asdict(task))

    def last_words(self) -> str:
        """How it ended."""
        code = self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return f"status {code}{', ' + lines[-1] if lines else ''}"

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        self._log.close()

    def _write(self, value: Any) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):  # its reader tells
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                if self.answers is not None:
                    self.answers.put((self, json.loads(line)))
        self.ended = True
        if self.answers is not None:
            self.answers.put((self, None))


def _path() -> dict[str, str]:
    """The package can be found by the worker wherever it was found by us."""
    root = str(Path(__file__).parents[2])
    return {"PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
