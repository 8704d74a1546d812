"""Calls whose inputs depend on answers: closed loops, their faults, and candidates that abuse the talk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.protocol import Call, Limits, Program, Returns
from assay.sandbox.inside import drop

A, B = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.005], [0.1]])
START = np.array([[1.0, 0.0], [0.0, -1.0]])
POLICY = """
import numpy as np

def train(gain):
    steps = []
    def policy(x):
        steps.append(x)
        return -x @ gain.T
    return policy
"""
FAST = Limits(cpu_seconds=5.0, wall_seconds=1.0)


def loop(steps: int) -> tuple[Call, ...]:
    """Train, then `steps` calls of the policy, each with the state that the plant reached."""

    def state(values):
        x = START
        for u in values[1:]:
            x = x @ A.T + u @ B.T
        return (x,)

    train = Call("train", (np.array([[1.0, 1.5]]),), Returns("callable"))
    return (train, *(Call("@0", (), Returns("array", shape=(2, 1)), later=state) for _ in range(steps)))


def test_a_closed_loop_equals_the_same_loop_in_process(sandbox):
    reply = sandbox.run(Program(POLICY, loop(40)))
    x = START
    for u in reply.answers()[1:]:
        np.testing.assert_array_equal(u, -x @ np.array([[1.0, 1.5]]).T)
        x = x @ A.T + u @ B.T
    assert len(reply.values) == 41 and np.abs(x).max() < 0.2


def test_the_first_call_may_be_a_later_one_and_inputs_may_be_large(sandbox):
    big = np.arange(400_000.0)
    calls = (
        Call("f", (), Returns("float"), later=lambda values: (big,)),
        Call("f", (big[:7],), Returns("float")),
        Call("f", (), Returns("float"), later=lambda values: (np.full(9, values[0] - values[1]),)),
    )
    values = sandbox.run(Program("def f(x):\n    return x.sum()\n", calls)).answers()
    assert values == (big.sum(), 21.0, 9 * (big.sum() - 21.0))


def test_a_fault_in_the_loop_ends_it_and_is_the_candidates(sandbox):
    source = POLICY.replace("steps.append(x)", "steps.append(x)\n        assert len(steps) < 4")
    reply = sandbox.run(Program(source, loop(9)))
    assert (reply.fault, len(reply.values)) == ("exception", 4)
    assert "call 4 raised AssertionError" in reply.detail


def test_an_error_of_ours_in_the_loop_is_raised_and_the_sandbox_serves_on(sandbox):
    def broken(values):
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match="ours"):
        sandbox.run(Program("def f():\n    return 1.0\n", (Call("f", (), Returns("float"), later=broken),)))
    assert sandbox.run(Program("def f():\n    return 1.0\n", (Call("f", (), Returns("float")),))).answers() == (1.0,)


ABUSES = {
    "reads the next inputs": f"    import os\n    os.read({drop.MORE}, 10)\n",
    "closes the pipe": f"    import os\n    os.close({drop.MORE})\n",
    "writes an answer of its own": "    import os\n    os.write(4, b'ASY1' + bytes(13))\n",
    "writes half a frame": "    import os\n    os.write(4, b'ASY1')\n",
    "stops listening": "    import time\n    time.sleep(60)\n",
}


@pytest.mark.parametrize("name", ABUSES)
def test_abuses_end_as_the_candidates_fault(sandbox, name):
    source = f"def f(x):\n{ABUSES[name]}    return float(x.sum())\n"
    calls = tuple(Call("f", (), Returns("float"), later=lambda values: (np.ones(300_000),)) for _ in range(4))
    before = len(list(Path("/proc/self/fd").iterdir()))
    reply = sandbox.run(Program(source, calls, FAST))
    assert reply.fault, "an abuse mustn't go through"
    assert sandbox.run(Program("def f(x):\n    return 1.0\n", calls[:2])).answers() == (1.0, 1.0)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_programs_without_later_calls_have_no_pipe(sandbox):
    source = f"import os\ndef f():\n    try:\n        os.fstat({drop.MORE})\n    except OSError:\n        return True\n    return False\n"
    assert sandbox.run(Program(source, (Call("f", (), Returns("bool")),))).answers() == (True,)
