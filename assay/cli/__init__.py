"""The command line: `assay tasks | show | judge | check | survey | report | sandbox`. The only part of Assay that reads argv and prints."""

from __future__ import annotations

import sys

from assay.errors import AssayError


def main() -> None:
    """Run the command line; a user's mistake is one clear line and exit status 2."""
    import typer

    from assay.cli import studies  # noqa: F401  (adds its commands)
    from assay.cli.commands import app

    try:
        status = app(standalone_mode=False)
    except AssayError as error:
        _end(str(error), 2)
    except OSError as error:
        _end(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        _end("stopped", 130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's usage errors have it; typer doesn't export their base class
            raise
        _end(error.format_message(), 2)
    raise SystemExit(status if isinstance(status, int) else 0)


def _end(text: str, status: int) -> None:
    print(f"assay: {' '.join(text.split())}", file=sys.stderr)
    raise SystemExit(status)
