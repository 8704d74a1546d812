"""How answers travel: frames of a fixed header, and leaves of a fixed header with raw bytes behind it.

A frame is magic, kind, call number, length; its body is the leaves of one returned value in the contract's order,
a file's bytes (of a workspace), or one fault.
Little-endian throughout. Both sides read these constants; only the child imports more than constants from here.

    frame   <4s B I Q>   magic, kind (VALUE, FAULT, DONE, ABSENT), call, length of the body
    leaf    <B B Q>      tag, dimensions, length of the raw bytes; then <Q> a dimension; then the raw bytes
    fault   <B B I 40s 40s>  index into FAULTS, index into REASONS, line, name of a class, name of the kind that was asked
"""

from __future__ import annotations

import struct

MAGIC = b"ASY1"
VALUE, FAULT, DONE, ABSENT = 1, 2, 3, 4
FRAME = struct.Struct("<4sBIQ")
LEAF = struct.Struct("<BBQ")
DIMENSION = struct.Struct("<Q")
FAULT_BODY = struct.Struct("<BBI40s40s")
FAULTS = (
    "syntax_error",
    "import_error",
    "missing_function",
    "exception",
    "wrong_type",
    "wrong_shape",
    "not_finite",
    "input_changed",
    "early_exit",
    "memory_limit",
    "output_limit",
    "forbidden",
)
REASONS = ("", "new processes aren't allowed here")
"""what is added to the line that tells of an exception"""
NO_REASON, NO_PROCESSES = range(2)
FLOAT, INTEGER, BOOL, TEXT, FLOATS, INTEGERS, BOOLS, CALLABLE = range(1, 9)
MAX_DIMENSIONS = 8
MAX_INTEGER_BYTES = 1 << 16
