"""Closed loops: the inputs of a call that depend on answers, made on our side while the program waits.

The child writes the frame of an answer; we read it as strictly as at the end, ask the program's `later` for the next inputs and send
them. Frames that an honest child wouldn't write end the talk, and the child then waits until its wall limit or ends; what it wrote is
read again, and judged, when it is gone. Not covered: programs without later calls, which have no dialogue.
"""

from __future__ import annotations

from typing import final

from assay.protocol import Program, Value
from assay.sandbox import answers, jobs
from assay.sandbox.inside import wire


@final
class Dialogue:
    """Our part of the talk with one child.

    Args:
        program: whose calls are made.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values: list[Value] = []
        self.at = 0
        self.over = False

    def opening(self) -> bytes:
        """What to send before anything has come back."""
        return self._inputs()

    def heard(self, data: bytearray) -> bytes:
        """What to send next.

        Args:
            data: all that came through the result pipe until now.
        """
        message = b""
        while not self.over and (frame := self._frame(data)):
            try:
                self.over = answers.one(answers.Reader(memoryview(frame)), self.program, self.values) is not None
            except answers.Malformed:
                self.over = True
            else:
                self.at += len(frame)
                message += b"" if self.over else self._inputs()
        return message

    def _frame(self, data: bytearray) -> bytes:
        """The next frame, or nothing where it hasn't come whole."""
        body = self.at + wire.FRAME.size
        if len(data) < body:
            return b""
        length = wire.FRAME.unpack(data[self.at : body])[-1]
        return bytes(data[self.at : body + length]) if len(data) >= body + length else b""

    def _inputs(self) -> bytes:
        number = len(self.values)
        if number == len(self.program.calls):
            return b""
        call = self.program.calls[number]
        return jobs.encode_later(call, call.later(tuple(self.values))) if call.later else b""
