"""An OpenAI-compatible server as a model: `POST <url>/chat/completions`.

Several connections at once; a request that met 429, a status of 500 or more, or a broken connection is sent again after a growing
pause. The key is read from the environment variable ASSAY_SERVER_API_KEY and goes nowhere but into the header. The identity is the
address and the model's name: what the server really runs can't be seen from here. Adapters can't be given to it.
"""

from __future__ import annotations

import concurrent.futures
import os
import time
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import Any

import httpx

from assay import canonical
from assay.errors import ModelError
from assay.models import Completion, ModelSpec, Request, Sampling
from assay.models.chat import estimate
from assay.models.source import has_adapter
from assay.records import Message

KEY_VARIABLE = "ASSAY_SERVER_API_KEY"
_TRIES = 5
_LONGEST_PAUSE_SECONDS = 30.0
_TIMEOUT_SECONDS = 600.0


class ServerModel:
    """A model behind HTTP.

    Args:
        spec: with `server_url` and `server_model`.
        adapter: must be None or empty.
        workers: connections at once.
        pause_seconds: before the second try; doubles with each.
    """

    peers_matter = False

    def __init__(self, spec: ModelSpec, adapter: Path | None, workers: int, pause_seconds: float = 1.0) -> None:
        if not spec.server_url or not spec.server_model:
            raise ModelError("source 'server' needs server_url (http://host:port/v1) and server_model")
        if has_adapter(adapter):
            raise ModelError(f"{adapter}: a model behind a server can't be given an adapter; let the server load it")
        self._url, self._name = spec.server_url.rstrip("/"), spec.server_model
        self._workers, self._pause = max(1, workers), pause_seconds
        key = os.environ.get(KEY_VARIABLE)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=_TIMEOUT_SECONDS, headers=headers)
        self.identity = canonical.sha({"server": self._url, "model": self._name})

    def complete(
        self,
        requests: Sequence[Request],
        sampling: Sampling,
        on_done: Callable[[Request, Completion], None],
        done: Container[str] = (),
    ) -> None:
        """See `assay.models.Model`."""
        with concurrent.futures.ThreadPoolExecutor(self._workers) as threads:
            futures = {threads.submit(self._ask, one, sampling): one for one in requests if one.key not in done}
            try:
                for future in concurrent.futures.as_completed(futures):
                    on_done(futures[future], future.result())
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def count(self, messages: Sequence[Message]) -> int:
        """An estimate: a token for every four characters."""
        return estimate(messages)

    def close(self) -> None:
        """See `assay.models.Model`."""
        self._client.close()

    def _ask(self, request: Request, sampling: Sampling) -> Completion:
        body = {
            "model": self._name,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_new_tokens,
            "seed": request.seed % 2**31,
        }
        return self._read(request.key, self._post(request.key, body))

    def _post(self, key: str, body: dict[str, Any]) -> httpx.Response:
        trouble = ""
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(min(self._pause * 2 ** (attempt - 1), _LONGEST_PAUSE_SECONDS))
            try:
                response = self._client.post(f"{self._url}/chat/completions", json=body)
            except httpx.HTTPError as error:
                trouble = str(error) or type(error).__name__
                continue
            except (httpx.InvalidURL, ValueError) as error:
                raise ModelError(f"{self._url}: not an address to send to: {error}") from error
            if response.status_code == 200:
                return response
            trouble = f"status {response.status_code}: {response.text[:200]!r}"
            if response.status_code != 429 and response.status_code < 500:
                raise ModelError(f"{self._url}: {key}: refused with {trouble}")
        raise ModelError(f"{self._url}: {key}: given up after {_TRIES} tries: {trouble}")

    def _read(self, key: str, response: httpx.Response) -> Completion:
        try:
            answer = canonical.loads(response.text)
            choice = answer["choices"][0]
            text = choice["message"]["content"] or ""
            if not isinstance(text, str):
                raise TypeError
            text = text.encode("utf-8", "replace").decode()  # half a character can't be kept
            tokens = int((answer.get("usage") or {}).get("completion_tokens") or len(text) // 4)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise ModelError(f"{self._url}: {key}: the answer isn't a chat completion: {response.text[:200]!r}") from error
        return Completion(text, tokens, "length" if choice.get("finish_reason") == "length" else "stop")
