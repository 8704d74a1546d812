"""Every error that Assay raises on purpose.

    AssayError
    ├── InputError (ValueError)          what a user gave is wrong: one clear line, exit status 2
    │   ├── SettingsError                params.yaml
    │   ├── TaskError                    a task folder that can't be used
    │   ├── UnknownTask (LookupError)    an id that no folder has
    │   ├── SubmissionError              a solution file that can't be read as one
    │   └── TableError                   a Parquet file that isn't the table that it should be
    ├── SandboxFault (RuntimeError)      ours: the sandbox failed, never the candidate's doing
    ├── ModelError (RuntimeError)        a model that can't be had, loaded or reached
    ├── TrainingError (RuntimeError)     training that can't start or went wrong
    └── StorageError (OSError)           a disk that is full or can't be written

A candidate that fails is data and not an error: see `assay.protocol.CandidateFault`.
"""

from __future__ import annotations


class AssayError(Exception):
    """The root of the tree; its text is one line that a user can act on."""


class InputError(AssayError, ValueError):
    """What a user gave can't be used."""


class SettingsError(InputError):
    """params.yaml holds an unknown key, a wrong type or a value out of range."""


class TaskError(InputError):
    """A task folder breaks its contract or can't be loaded."""


class UnknownTask(InputError, LookupError):
    """No folder has this id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class SubmissionError(InputError):
    """A solution file is empty, too large, not UTF-8 or not there."""


class TableError(InputError):
    """A table is missing, corrupt, of another schema, or lacks rows that another table names."""


class SandboxFault(AssayError, RuntimeError):
    """The sandbox failed; says nothing about the candidate."""


class ModelError(AssayError, RuntimeError):
    """A model can't be had, loaded or reached."""


class TrainingError(AssayError, RuntimeError):
    """Training can't start, or its result isn't usable."""


class StorageError(AssayError, OSError):
    """A file can't be written: a full disk, most often."""
