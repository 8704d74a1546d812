"""The Prefect flow: one Prefect task a stage of the DVC graph, named as the stage.

Prefect carries names and states, never data: its own cache and its persisted results are off, since DVC owns both. A Prefect
task that waits for its upstream holds a thread, so the thread pool is unbounded and the real work is bounded by `workers`.

Import this only after `workspace.prepare_environment`: Prefect reads its settings at import. For a deployment on a schedule, set
those in the environment and serve `round_flow`; nothing at module level here holds a lock, which Prefect could not pickle.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger
from prefect import task as prefect_task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State, TaskRun
from prefect.futures import PrefectFuture
from prefect.states import Cancelled, Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.tasks import Task
from rich.console import Console
from rich.table import Table

from flows.dvc import Ending, Graph, OutputReader, Stage, Standing, read_graph, repro_command
from flows.errors import FlowError, StoppedError
from flows.processes import Finished, Supervisor
from flows.workspace import require_workspace, stage_environment, workspace_lock

RETRY_SECONDS = [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
THREADS: Any = ThreadPoolTaskRunner(max_workers=sys.maxsize)
FAILED, BUSY, STOPPED, NOT_RUN = "Failed", "Busy", "Stopped", "Not run"


@dataclass
class _Run:
    """What the Prefect tasks of one flow share; each writes under its own stage only."""

    root: Path
    lock: int
    """Descriptor of the workspace lock, which stages inherit."""
    supervisor: Supervisor
    endings: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    """For each stage that failed: one line, then the last lines of its output."""


def reach_server() -> None:
    """Connects to the server; without PREFECT_API_URL this starts the temporary one, which lives as long as this process."""
    with get_client(sync_client=True) as client:
        client.hello()


@flow(name="round", persist_result=False, task_runner=THREADS)
def round_flow(root: str = ".", targets: list[str] | None = None, workers: int = 1) -> State[Any]:
    """Brings the targets and all that they need up to date.

    Args:
        root: Folder of the root dvc.yaml.
        targets: As in `dvc.read_graph`; nothing means the whole graph.
        workers: How many stages may run at a time.

    Returns:
        Completed, or Failed with a message for the user.
    """
    folder = Path(root).resolve()
    try:
        require_workspace(folder)
        with workspace_lock(folder) as lock:
            graph = read_graph(folder, targets or ())
            get_run_logger().info(graph.summary())
            run = _Run(folder, lock, Supervisor(workers=workers))
            _run_graph(graph, run)
    except FlowError as error:
        return Failed(message=str(error))
    if run.failures:
        return Failed(message="\n".join(run.failures.values()))
    unfinished = [stage.address for stage in graph.stages if run.endings.get(stage.address) not in set(Ending)]
    if unfinished:
        return Failed(message=f"not up to date: {', '.join(unfinished)}")
    return Completed(message=f"{len(graph.stages)} stages are up to date")


def _run_graph(graph: Graph, run: _Run) -> None:
    futures: dict[str, PrefectFuture[Any]] = {}
    try:
        for stage in graph.stages:
            upstream = [futures[address] for address in stage.upstream]
            futures[stage.address] = _stage_task(stage, run).submit(return_state=False, wait_for=upstream)
        for future in futures.values():
            future.wait()
    except BaseException:  # Ctrl-C, SIGTERM and cancellation too: nothing may go on without the flow
        run.supervisor.stop()
        raise
    finally:
        _print_summary(graph, run)


def _stage_task(stage: Stage, run: _Run) -> Task[[], State[Any]]:
    @prefect_task(
        name=stage.address,
        task_run_name=stage.address,
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=len(RETRY_SECONDS),
        retry_delay_seconds=RETRY_SECONDS,
        retry_condition_fn=_may_pass,
    )
    def bring_up_to_date() -> State[Any]:
        state = _bring_up_to_date(stage, run)
        run.endings[stage.address] = state.name or ""
        return state

    # Runs that never start show this name, and not the one above.
    return bring_up_to_date.with_options(name=stage.address)


def _may_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    return state.name == BUSY


def _bring_up_to_date(stage: Stage, run: _Run) -> State[Any]:
    if stage.standing is Standing.CLEAN and all(run.endings.get(address) == Ending.CACHED for address in stage.upstream):
        return Completed(name=Ending.CACHED.value, message="clean, and so is its upstream: no process started")
    reader, log = OutputReader(stage.address), get_run_logger()

    def on_line(line: str) -> None:
        run.endings.setdefault(stage.address, STOPPED)  # it began; what comes back from here replaces this
        reader.read(line)
        log.info("%s", line)

    try:
        finished = run.supervisor.run(
            repro_command(stage.address),
            cwd=run.root,
            environment=stage_environment(),
            on_line=on_line,
            inherited=(run.lock,),
        )
    except StoppedError as error:
        return Cancelled(name=STOPPED, message=str(error))
    run.seconds[stage.address] = run.seconds.get(stage.address, 0.0) + finished.seconds
    if finished.exit_code == 0:
        run.failures.pop(stage.address, None)
        return Completed(name=reader.ending.value, message=f"{finished.seconds:.1f} s")
    message = _failure(stage.address, finished, reader)
    run.failures[stage.address] = message
    return Failed(name=BUSY if reader.busy else FAILED, message=message)


def _failure(address: str, finished: Finished, reader: OutputReader) -> str:
    if reader.busy:
        how = "another DVC process holds its lock"
    elif reader.exit_code is not None:
        how = f"its command exited with {reader.exit_code}"
    else:
        how = f"dvc exited with {finished.exit_code}"
    return "\n  | ".join([f"stage '{address}' failed: {how}; the last lines of its output:", *finished.tail])


def _print_summary(graph: Graph, run: _Run) -> None:
    table = Table("stage", "ended", "seconds", title="round")
    table.columns[2].justify = "right"
    for stage in graph.stages:
        seconds = run.seconds.get(stage.address)
        table.add_row(stage.address, run.endings.get(stage.address, NOT_RUN), "-" if seconds is None else f"{seconds:.1f}")
    Console().print(table)
