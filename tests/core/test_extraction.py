"""Code out of model text: each case is a report of how it went wrong elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.extraction import extract, parses

CODE = "def f(x):\n    return x\n"
DOCSTRING = 'def f(x):\n    """Example:\n```\nf(1)\n```\n    """\n    return x\n'
STRING = 'T = """\n```python\nprint(1)\n```\n"""\ndef f(x):\n    return T\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"Sure, here it is!\n\n```python\n{CODE}```\n\nHope this helps.", CODE),
        (f"```\n{CODE}```", CODE),
        (f"```python\n{DOCSTRING}```\nDone.", DOCSTRING),
        (f"```python\n{STRING}```\nDone.", STRING),
        (f"````python\n{DOCSTRING}````\n", DOCSTRING),
        (f"~~~python\n{CODE}~~~\n", CODE),
        (f"```markdown\nHere:\n```python\n{CODE}```\n```\n", CODE),
        ("```python\ndef f(x):\n    return '```'\n```", "def f(x):\n    return '```'\n"),
        (f"```bash\npip install numpy\n```\n```python\n{CODE}```", CODE),
        (f"```html\n<b>\n```\n\n```py\n{CODE}```", CODE),
        (f"<think>\n```python\ndef draft(): pass\n```\n</think>\n```python\n{CODE}```", CODE),
        (f"```python\ndef draft(): pass\n```\nno, wait\n</think>\n```python\n{CODE}```", CODE),
        ("```python\ndef f():\n    return '<thinking>'\n```", "def f():\n    return '<thinking>'\n"),
        ("```python\ndef f():\n    return '</think>'\n```", "def f():\n    return '</think>'\n"),
        (f"```python\n{CODE}```\nUse it so:\n```python\nprint(f(1))\n```", CODE),
        (f"```python\n{CODE}", CODE),
        (f"```python\r\n{CODE}```\r\n".replace("\n", "\r\n"), CODE),
        (f"Text before\n{CODE}", CODE),
        (f"{CODE}\nThis function returns its argument, don't you think?", CODE),
        (f"```Python\n{CODE}```", CODE),
        (f"   ```python\n{CODE}   ```", CODE),
    ],
)
def test_the_block_is_found_whole(text: str, code: str) -> None:
    found = extract(text).code
    assert found is not None
    assert found.strip() == code.strip()
    assert parses(found)


def test_unfinished_thinking_is_no_answer() -> None:
    assert extract(f"<think>\nLet me see\n```python\n{CODE}```").how == "unfinished_thinking"
    assert extract(f"<think>\nLet me see\n```python\n{CODE}```").code is None


@pytest.mark.parametrize("text", ["", "I can't do that.", "```html\n<b>\n```", "```python\n```", "definitely not code"])
def test_no_code_is_none(text: str) -> None:
    assert extract(text).code is None
    assert extract(text).how == "none"


@given(st.text())
def test_nothing_makes_it_raise(text: str) -> None:
    extract(text)
    extract("```python\n" + text)


@given(st.text(alphabet="`~\n abc<>/think\"'", max_size=60))
def test_fences_and_tags_in_any_order_never_raise(text: str) -> None:
    extract(text)
