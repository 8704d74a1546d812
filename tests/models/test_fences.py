from __future__ import annotations

import pytest

from assay.models.fences import closed

CODE = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{CODE}```\n",
        f"Here it is:\n```py\n{CODE}```\nand",
        f"```\n{CODE}```  \n",
        f"~~~python\n{CODE}~~~\n",
        f"````python\n{CODE}```\n````\n",
        f"```bash\npip install x\n```\n\n```python\n{CODE}```\n",
        f"```python\nx = 1\n```\n```python\n{CODE}```\n",
        f"<think>a plan</think>\n```python\n{CODE}```\n",
        "```python\ndef f(:\n```\n",
        f"```python\r\n{CODE}```\r\n",
    ],
)
def test_a_finished_block_ends_the_answer(text: str) -> None:
    assert closed(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"```python\n{CODE}",
        f"```python\n{CODE}```",  # its line may go on
        f"```python\n{CODE}# ``` in a comment\n",
        f"````python\n{CODE}```\n",
        f"```python\n{CODE}~~~\n",
        '```python\ndef f():\n    """An example:\n\n```\n',
        "```bash\ndef f\n```\n",
        "```python\nprint(1)\n```\n",
        f"<think>\n```python\n{CODE}```\n",
    ],
)
def test_an_unfinished_answer_goes_on(text: str) -> None:
    assert not closed(text)


def test_a_draft_in_thinking_that_the_template_opened_doesnt_end_it() -> None:
    draft = f"first\n```python\n{CODE}```\n"
    assert not closed(draft, thinking=True)
    assert closed(draft + f"</think>\n```python\n{CODE}```\n", thinking=True)
