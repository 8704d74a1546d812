"""When the stages run: a Prefect flow over the DVC graph.

No number, no data and no logic of a stage stands here, and nothing of `assay`, `stages` or `tasks` is imported. Deleting this
folder loses no result: plain `dvc repro` makes the same artifacts.

- `round.py`          the command: `python -m flows.round [TARGET ...]`
- `orchestration.py`  the Prefect flow: one Prefect task a stage
- `dvc.py`            the one module that talks to DVC
- `processes.py`      stages as process groups, and their end
- `workspace.py`      environment, the lock of the workspace, the server
"""
