from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ModelError
from assay.models import Completion, ModelSpec, Request, Sampling, open_chat
from assay.models.chat import open_counter
from assay.models.server import KEY_VARIABLE, ServerModel
from assay.records import Message

GOOD = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": {"completion_tokens": 3}}
SAMPLING = Sampling(temperature=0.5, top_p=0.9, max_new_tokens=7)


class Fake:
    """Answers with the next of `plan`: a status, or a body; the last one stays."""

    latest: Fake

    def __init__(self, *plan: Any) -> None:
        Fake.latest = self
        self.plan, self.seen = list(plan), list[tuple[str, dict[str, str], dict[str, Any]]]()
        lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    fake.seen.append((self.path, dict(self.headers), body))
                    now = fake.plan.pop(0) if len(fake.plan) > 1 else fake.plan[0]
                if now == "drop":
                    self.connection.close()
                    return
                data = now if isinstance(now, bytes) else json.dumps(GOOD if isinstance(now, int) else now).encode()
                self.send_response(now if isinstance(now, int) else 200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                with contextlib.suppress(OSError, ValueError):
                    super().handle()

            def finish(self) -> None:
                with contextlib.suppress(OSError, ValueError):
                    super().finish()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


Ask = Callable[..., tuple[Fake, dict[str, Completion]]]


@pytest.fixture
def ask() -> Iterator[Ask]:
    fakes: list[Fake] = []

    def go(*plan: Any, count: int = 1, done: frozenset[str] = frozenset()) -> tuple[Fake, dict[str, Completion]]:
        fakes.append(Fake(*plan))
        model = ServerModel(ModelSpec("server", server_url=fakes[-1].url, server_model="m"), None, 2, pause_seconds=0.001)
        wanted = [Request(f"k{at}", (Message("system", "s"), Message("user", "u")), seed=at + 2**40) for at in range(count)]
        answers: dict[str, Completion] = {}
        try:
            model.complete(wanted, SAMPLING, lambda request, answer: answers.__setitem__(request.key, answer), done)
        finally:
            model.close()
        return fakes[-1], answers

    yield go
    for fake in fakes:
        fake.server.shutdown()
        fake.thread.join()
        fake.server.server_close()


def test_the_wire_format(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    fake, answers = ask(GOOD, count=3, done=frozenset({"k1"}))
    assert answers == {"k0": Completion("hi", 3, "stop"), "k2": Completion("hi", 3, "stop")}
    path, headers, body = next(row for row in fake.seen if row[2]["seed"] == 0)
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer secret"
    assert body["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert (body["model"], body["temperature"], body["top_p"], body["max_tokens"]) == ("m", 0.5, 0.9, 7)


def test_passing_trouble_is_tried_again(ask: Ask) -> None:
    fake, answers = ask(429, 500, "drop", GOOD)
    assert len(fake.seen) == 4 and answers["k0"].text == "hi"


def test_a_cut_answer_says_so(ask: Ask) -> None:
    cut = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
    assert ask(cut)[1] == {"k0": Completion("", 0, "length")}


@pytest.mark.parametrize(
    ("answer", "says", "tries"),
    [
        (500, "given up after 5 tries: status 500", 5),
        ("drop", "given up after 5 tries", 5),
        (404, "refused with status 404", 1),
        (b"{not json", "isn't a chat completion", 1),
        (b"[]", "isn't a chat completion", 1),
        ({"choices": []}, "isn't a chat completion", 1),
        ({"choices": [{"message": {"content": 5}}]}, "isn't a chat completion", 1),
    ],
)
def test_lasting_trouble_is_one_clear_line(ask: Ask, answer: Any, says: str, tries: int) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        ask(answer)
    assert "k0" in str(caught.value) and len(Fake.latest.seen) == tries
    assert "\n" not in str(caught.value)


def test_nobody_listens() -> None:
    model = ServerModel(ModelSpec("server", server_url="http://127.0.0.1:9/v1", server_model="m"), None, 1, pause_seconds=0.001)
    with pytest.raises(ModelError, match="given up after 5 tries"):
        model.complete([Request("k", (Message("user", "u"),), 0)], SAMPLING, lambda *_: None)
    model.close()


def test_settings_that_cant_work(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="server_url"):
        ServerModel(ModelSpec("server"), None, 1)
    (tmp_path / "adapter_model.safetensors").touch()
    with pytest.raises(ModelError, match="adapter"):
        ServerModel(ModelSpec("server", server_url="http://x/v1", server_model="m"), tmp_path, 1)
    with pytest.raises(ModelError, match="behind a server"):
        open_chat(ModelSpec("server"))
    assert open_counter(ModelSpec("server"))([Message("user", "x" * 40), Message("assistant", "y" * 20)]) == (17, 6)
