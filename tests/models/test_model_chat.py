from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.errors import ModelError, TrainingError
from assay.models import ModelSpec, chat, open_chat
from assay.records import Message

TALK = (
    Message("system", "s"),
    Message("user", "u"),
    Message("assistant", "first"),
    Message("user", "v"),
    Message("assistant", "last"),
)


def test_loss_falls_on_the_last_turn_and_its_end(tiny_model: Path) -> None:
    text = open_chat(ModelSpec(source=str(tiny_model)))
    encoded = text.encode(TALK)
    trained = [token for token, on in zip(encoded.ids, encoded.trained, strict=True) if on]
    assert text.text(trained) == "last" and trained[-1] in text.stops
    assert encoded.ids[: -len(trained)] == text.prompt(TALK[:-1])
    assert text.count_tokens(TALK) == (len(encoded.ids), 5) == chat.open_counter(ModelSpec(source=str(tiny_model)))(TALK)


def test_an_end_mark_inside_the_text_doesnt_cut_the_turn(tiny_model: Path) -> None:
    text = chat.load(tiny_model)
    encoded = text.encode((Message("user", "u"), Message("assistant", "a<|im_end|>b")))
    assert text.text(encoded.ids).endswith("ab") and encoded.ids[-1] in text.stops


@pytest.mark.parametrize("turns", [(), TALK[:-1]])
def test_a_conversation_must_end_with_the_assistant(tiny_model: Path, turns: tuple[Message, ...]) -> None:
    with pytest.raises(TrainingError, match="must end with"):
        chat.load(tiny_model).encode(turns)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{% for m in messages %}{{ m['content'] }}\n{% endfor %}", "without an end-of-turn"),
        ("{{ messages | length }}{% for m in messages %}{{ m['content'] }}<|im_end|>{% endfor %}", "doesn't continue"),
        ("{{ raise_exception('no system turn') }}", "can't write these turns: no system turn"),
        (None, "has no chat template"),
    ],
)
def test_templates_that_cant_be_used(tiny_model: Path, tmp_path: Path, template: str | None, says: str) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises((TrainingError, ModelError), match=says):
        chat.load(folder).encode(TALK)


def test_thinking_opened_by_the_template_is_seen(tiny_model: Path) -> None:
    text = chat.load(tiny_model)
    assert text.opens_thinking([*text.prompt(TALK[:2]), *text._ids("<think>\n")])
    assert not text.opens_thinking(text.prompt(TALK[:2]))
