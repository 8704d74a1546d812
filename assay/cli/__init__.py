"""The command line: `assay tasks | show | judge | check | sandbox`. The only part of Assay that reads argv and prints."""

from __future__ import annotations

import sys

from assay.errors import AssayError


def main() -> None:
    """Run the command line; a user's mistake is one clear line and exit status 2."""
    import click

    from assay.cli.commands import app

    try:
        status = app(standalone_mode=False)
    except AssayError as error:
        _end(str(error), 2)
    except click.ClickException as error:
        _end(error.format_message(), error.exit_code)
    except OSError as error:
        _end(str(error), 2)
    except (click.Abort, KeyboardInterrupt):
        _end("stopped", 130)
    raise SystemExit(status if isinstance(status, int) else 0)


def _end(text: str, status: int) -> None:
    print(f"assay: {' '.join(text.split())}", file=sys.stderr)
    raise SystemExit(status)
