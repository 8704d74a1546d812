"""A sampling worker's main program; `assay.models.pool` starts it and speaks to it. Ends when its input does."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any


def main() -> None:
    """Load what the first line names, then answer a line for a line."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints isn't an answer
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    first = json.loads(lines.get())
    from assay.errors import AssayError

    try:
        _serve(first, lines, answers)
    except AssayError as error:
        print(json.dumps({"error": str(error)}), file=answers, flush=True)


def _serve(first: dict[str, Any], lines: queue.SimpleQueue[str], answers: Any) -> None:
    import torch

    torch.set_num_threads(1)
    from assay.models import Sampling, chat
    from assay.models.pool import Weights
    from assay.models.sampler import Unit, generate

    weights = Weights(**first)
    text, model = chat.load(Path(weights.folder)), weights.load()
    while True:
        task = json.loads(lines.get())
        unit = Unit(tuple(tuple(prompt) for prompt in task["prompts"]), tuple((row[0], row[1]) for row in task["rows"]))
        completions = generate(model, text, unit, Sampling(**task["sampling"]))
        print(json.dumps({"at": task["at"], "completions": [asdict(one) for one in completions]}), file=answers, flush=True)


def _listen(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # the parent is gone or done: stop in the middle of a unit too


if __name__ == "__main__":
    main()
