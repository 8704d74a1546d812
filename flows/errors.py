"""The error tree of the flows.

```
FlowError (RuntimeError)
├── WorkspaceError   no DVC project here, or another flow is at work in it
├── ServerError      PREFECT_API_URL names a server that does not answer
├── GraphError       DVC cannot read the graph, or does not know a target
├── BusyError        another DVC process holds what we need: this may pass
└── StoppedError     the flow is ending, no new process may start
```
"""


class FlowError(RuntimeError):
    """What a user of the flows can read in one line."""


class WorkspaceError(FlowError):
    """The folder is no DVC project, or another flow is at work in it."""


class ServerError(FlowError, ConnectionError):
    """The configured Prefect server does not answer."""


class GraphError(FlowError, ValueError):
    """DVC cannot read the graph, or does not know a target."""


class BusyError(FlowError, BlockingIOError):
    """Another DVC process holds a lock; trying again later may pass."""


class StoppedError(FlowError, InterruptedError):
    """The flow is ending, so no new process may start."""
