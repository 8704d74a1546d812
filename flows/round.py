"""Brings the stages of the root dvc.yaml up to date, as a Prefect flow: `python -m flows.round [TARGET ...]`.

Exit status: 0 all is up to date; 1 a stage failed; 2 the flow could not start; 130 and 143 ended by Ctrl-C and SIGTERM. After any
of them no stage is left running, and the next call goes on where this one ended.
"""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from flows.errors import FlowError
from flows.workspace import prepare_environment, require_server, require_workspace, workspace_lock


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: Without the program's name; by default those of the process.

    Returns:
        The exit status.
    """
    options = _parser().parse_args(arguments)
    root = options.root.resolve()
    try:
        require_workspace(root)
        with workspace_lock(root):
            pass  # the flow takes it again: here it only makes the refusal quick
        prepare_environment(root)
        require_server()
    except FlowError as error:
        return _complain(str(error), 2)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _run(root, options.targets, options.workers)
    except KeyboardInterrupt:
        return _complain("interrupted: no stage is left running, the next call goes on from here", 130)
    except SystemExit as error:
        return _complain("ended by a signal: no stage is left running, the next call goes on from here", int(error.code or 1))


def _run(root: Path, targets: list[str], workers: int) -> int:
    with _interrupts_held():
        from flows.orchestration import reach_server, round_flow  # Prefect reads its settings now

        reach_server()
    state = round_flow(root=str(root), targets=targets, workers=workers, return_state=True)
    if state.is_completed():
        return 0
    return _complain(state.message or f"the flow ended as {state.name}", 1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keeps Ctrl-C for later, and from the processes that start meanwhile for good.

    The temporary server stands in our process group, so a Ctrl-C in the terminal reaches it too. If it ended first, Prefect would
    try for minutes to tell it that the flow was interrupted. Blocked signals stay blocked in a new program.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _complain(message: str, status: int) -> int:
    print(f"flows.round: {message}", file=sys.stderr, flush=True)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m flows.round", description="Bring the stages of dvc.yaml up to date.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="stage, group or pattern such as '*@r01' (default: all)")
    parser.add_argument("--root", type=Path, default=Path(), help="folder of the root dvc.yaml (default: here)")
    parser.add_argument("--workers", type=_positive, default=1, metavar="N", help="stages that run at a time (default: 1)")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, received {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
