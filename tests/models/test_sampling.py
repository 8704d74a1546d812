from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from assay.errors import ModelError
from assay.models import Completion, Model, ModelSpec, Request, Sampling, chat, open_chat, open_model
from assay.models.local import plan
from assay.models.sampler import Unit, draw, generate
from assay.models.weights import load
from assay.records import Message

SAMPLING = Sampling(temperature=0.8, top_p=0.95, max_new_tokens=12)


def requests(prompts: int, draws: int) -> list[Request]:
    return [
        Request(f"i{at}/{number}", (Message("user", "ab" * (3 + 5 * at)),), seed=100 * at + number)
        for at in range(prompts)
        for number in range(draws)
    ]


def ask(
    model: Model, wanted: list[Request], sampling: Sampling = SAMPLING, done: frozenset[str] = frozenset()
) -> dict[str, Completion]:
    answers: dict[str, Completion] = {}
    model.complete(wanted, sampling, lambda request, completion: answers.__setitem__(request.key, completion), done)
    return answers


def test_workers_order_and_restarts_change_nothing(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.models.local.UNIT_ROWS", 5)
    wanted = requests(4, 3)
    one = open_model(ModelSpec(source=str(tiny_model)), None, workers=1)
    first = ask(one, wanted)
    assert set(first) == {request.key for request in wanted}
    assert all(1 <= answer.tokens <= 12 for answer in first.values())
    assert len({answer.text for answer in first.values()}) == len(wanted)
    assert ask(one, wanted[::-1]) == first
    kept = frozenset(list(first)[:7])
    assert ask(one, wanted, done=kept) == {key: answer for key, answer in first.items() if key not in kept}
    assert ask(one, wanted, done=frozenset(first)) == {}
    two = open_model(ModelSpec(source=str(tiny_model)), None, workers=2)
    try:
        assert ask(two, wanted) == first
        assert two.identity == one.identity
    finally:
        two.close()


def test_a_batch_says_what_single_rows_say(tiny_model: Path) -> None:
    model, text = load(tiny_model, "float32", "none", "cpu"), chat.load(tiny_model)
    prompts = tuple(text.prompt([Message("user", "x" * size)]) for size in (2, 9, 30))
    for sampling in (Sampling(0.0, 1.0, 20, False), Sampling(0.7, 0.9, 20, False), Sampling(1.3, 1.0, 20, False)):
        rows = tuple((prompt, 7 + seed) for prompt in range(3) for seed in range(3))
        batch = generate(model, text, Unit(prompts, rows), sampling)
        single = [generate(model, text, Unit((prompts[prompt],), ((0, seed),)), sampling)[0] for prompt, seed in rows]
        assert batch == single


def test_greedy_is_what_transformers_generates(tiny_model: Path) -> None:
    model, text = load(tiny_model, "float32", "none", "cpu"), chat.load(tiny_model)
    prompt = text.prompt([Message("user", "hello")])
    theirs = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt)), max_new_tokens=20, do_sample=False)
    ours = generate(model, text, Unit((prompt,), ((0, 0),)), Sampling(0.0, 1.0, 20, False))[0]
    assert ours.text == text.text(theirs[0, len(prompt) :].tolist())


def test_draws_follow_the_distribution() -> None:
    probability = torch.tensor([0.5, 0.3, 0.15, 0.05])
    logits = probability.log().repeat(4000, 1)
    uniform = np.random.default_rng(0).random(4000).tolist()
    counts = np.bincount(draw(logits, uniform, Sampling(1.0, 1.0, 1)), minlength=4) / 4000
    assert np.abs(counts - probability.numpy()).max() < 0.03
    counts = np.bincount(draw(logits, uniform, Sampling(1.0, 0.7, 1)), minlength=4) / 4000
    assert np.abs(counts - [0.625, 0.375, 0, 0]).max() < 0.03
    assert draw(logits[:2], [0.0, 0.999999], Sampling(1.0, 1.0, 1)) == [0, 3]
    assert draw(logits[:2], [0.3, 0.9], Sampling(0.0, 0.5, 1)) == [0, 0]
    flat = torch.zeros(1, 3000)
    assert draw(flat, [0.999999], Sampling(1.0, 0.9, 1))[0] >= 2600


def test_units_hold_a_prompts_rows_together(tiny_model: Path) -> None:
    text = open_chat(ModelSpec(source=str(tiny_model)))
    units = plan(requests(5, 16), text, 12, 10**6, 2048)
    assert [len(unit.requests) for unit in units] == [64, 16]
    assert [len(unit.prompts) for unit in units] == [4, 1]
    assert plan(requests(5, 16)[::-1], text, 12, 10**6, 2048) == units
    assert all(len(unit.requests) == 1 for unit in plan(requests(2, 2), text, 12, 10, 2048))


def test_what_doesnt_fit_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    model = open_model(ModelSpec(source=str(tiny_model)), None)
    with pytest.raises(ModelError, match=r"long: a prompt of \d+ and 12 new tokens"):
        ask(model, [Request("long", (Message("user", "x" * 3000),), 0)])
    with pytest.raises(ModelError, match="same key"):
        ask(model, requests(1, 1) * 2)
    for source in (str(tmp_path / "nothing"), "./nothing", "a/b/c"):
        with pytest.raises(ModelError, match="neither"):
            open_model(ModelSpec(source=source), None)
    with pytest.raises(ModelError, match="not a folder, and not to be had") as caught:
        open_model(ModelSpec(source="nobody/nothing"), None)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match="no \\*.safetensors"):
        open_model(ModelSpec(source=str(tmp_path)), None)


def test_identity_is_content(tiny_model: Path, tmp_path: Path) -> None:
    spec = ModelSpec(source=str(tiny_model))
    (tmp_path / "EMPTY").touch()
    plain = open_model(spec, None).identity
    assert open_model(spec, tmp_path).identity == plain
    assert open_model(ModelSpec(source=str(tiny_model), dtype="bfloat16"), None).identity != plain


def test_a_dead_worker_is_an_error(tiny_model: Path) -> None:
    model = open_model(ModelSpec(source=str(tiny_model)), None, workers=2)
    try:
        ask(model, requests(1, 2))
        model._engine._workers[0]._process.kill()  # type: ignore[attr-defined]
        with pytest.raises(ModelError, match="worker died: status -9"):
            ask(model, requests(1, 2))
        assert len(ask(model, requests(1, 2))) == 2  # new workers
    finally:
        model.close()


def test_workers_end_with_their_parent(tiny_model: Path) -> None:
    code = (
        "import sys; from assay.models.pool import Pool, Weights\n"
        "from assay.models.pool import _Worker\n"
        f"worker = _Worker(Weights({str(tiny_model)!r}, None, 'float32', 'none', 'cpu'))\n"
        "print(worker._process.pid, flush=True); sys.stdin.read()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdin is not None and parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert _runs(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while _runs(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(worker)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False
