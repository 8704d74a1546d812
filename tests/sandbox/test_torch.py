"""The zygote with torch: honest training works in it, it starts only when it's asked for, and a host may lack it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from assay.protocol import Artifact, Call, Limits, Program, Returns, Workspace
from assay.sandbox import Pool, host, open_sandbox
from assay.sandbox.probe import descendants, probe
from tests.sandbox.conftest import program

pytest.importorskip("torch")

LIMITS = Limits(cpu_seconds=30.0, wall_seconds=90.0)
MODEL = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.attend = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        h = self.body(x).flatten(2).transpose(1, 2)
        return self.head(self.attend(h).mean(1))
"""
TRAIN = """
import numpy as np, torch
from torch.utils.data import DataLoader, TensorDataset
from safetensors.torch import save_file
from model import F, Net

net, x = Net(), torch.randn(64, 1, 8, 8)
y = (x.mean((1, 2, 3)) > 0).long()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 12)
losses = []
for epoch in range(4):
    for batch, target in DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(batch), target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    schedule.step()
torch.save(net.state_dict(), "checkpoint.pt")
net.load_state_dict(torch.load("checkpoint.pt", weights_only=True))
net.eval()
with torch.no_grad():
    np.save("logits.npy", net(x).numpy())
np.save("losses.npy", np.array(losses))
save_file(net.state_dict(), "model.safetensors")
print(torch.get_num_threads(), torch.cuda.is_available())
"""
ARTIFACTS = (
    Artifact("losses.npy", shape=(16,)),
    Artifact("logits.npy", shape=(64, 2), dtypes=("float32",)),
    Artifact("model.safetensors", "safetensors"),
)
WORK = Workspace({"train.py": TRAIN.encode(), "model.py": MODEL.encode()}, "train.py", artifacts=ARTIFACTS, limits=LIMITS, seed=7)


def test_a_training_comes_back_as_arrays_and_repeats_itself(sandbox: Pool) -> None:
    reply = sandbox.run_workspace(WORK)
    assert (reply.fault, reply.detail, reply.stderr) == ("", "", "")
    assert reply.stdout == "1 False\n"
    losses, weights = reply.artifacts["losses.npy"], reply.artifacts["model.safetensors"]
    assert isinstance(losses, np.ndarray) and not isinstance(weights, np.ndarray)
    assert losses[-4:].mean() < losses[:4].mean()
    assert weights["body.0.weight"].shape == (8, 1, 3, 3) and weights["body.1.num_batches_tracked"].dtype == np.int64
    again = sandbox.run_workspace(WORK)
    assert isinstance(again.artifacts["losses.npy"], np.ndarray) and (again.artifacts["losses.npy"] == losses).all()
    assert descendants(sandbox) == []


def test_a_program_may_use_torch_and_scipy(sandbox: Pool) -> None:
    source = """
import torch, scipy.linalg
def f(x):
    t = torch.tensor(x, requires_grad=True)
    (t ** 2).sum().backward()
    return t.grad.numpy()
"""
    reply = sandbox.run(Program(source, (Call("f", (np.ones(3),), Returns("array", (3,))),), LIMITS))
    assert reply.answers()[0].tolist() == [2.0, 2.0, 2.0], reply.detail  # type: ignore[union-attr]
    assert sandbox.run(program("import torch\ndef f(): return torch.ones(1)", limits=LIMITS)).fault == "wrong_type"
    greedy = program("import torch\ndef f(): return float(torch.ones(1 << 33).sum())", limits=LIMITS)
    assert sandbox.run(greedy).fault == "memory_limit"


def test_random_numbers_differ_between_runs_and_twins(sandbox: Pool) -> None:
    source = "import torch\ndef f(): return float(torch.rand(()))"
    first, second = (sandbox.run(program(source, limits=LIMITS)).answers() for _ in range(2))
    assert first != second


def test_it_works_without_namespaces_and_starts_alone() -> None:
    with open_sandbox(require="none", without=("namespaces",)) as pool:
        assert pool.run_workspace(WORK).fault == ""
        assert [key for slot in pool.slots for key in slot.zygotes] == [("torch", False)], "the twin's only when it's asked for"


def test_every_probe_holds_in_it_too(isolated: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "kind_for", lambda source: "torch")
    found = probe(isolated)
    assert len(found) >= 12
    assert [result for result in found if not result.passed] == []


def test_the_twin_trains_to_the_same(sandbox: Pool) -> None:
    one, other = (sandbox.run_workspace(dataclasses.replace(WORK, twin=twin)).artifacts["logits.npy"] for twin in (False, True))
    assert isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and (one == other).all()


def test_a_host_without_torch_gives_a_clear_import_error(sandbox: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "has", lambda package: package != "torch")
    assert host.kind_for("import torch") == "numpy"
    reply = sandbox.run_workspace(WORK)
    assert (reply.fault, reply.detail) == ("import_error", "the run raised ModuleNotFoundError in train.py at line 2")
    assert "No module named 'torch'" in reply.stderr
    reply_of_program = sandbox.run(program("import torch\ndef f(): return 1.0"))
    assert (reply_of_program.fault, reply_of_program.detail) == (
        "import_error",
        "loading the solution raised ModuleNotFoundError at line 1",
    )


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import torch", "torch"), ("from torch import nn", "torch"), ("from torch.nn import Linear", "torch"),
        ("import os, torch as t", "torch"), ("import numpy as np, torch.nn", "torch"), ("try: import torch\nexcept: pass", "torch"),
        ("importlib.import_module('torch')", "torch"), ("import scipy\nimport torch", "torch"),
        ("# like torch", "numpy"), ("import torchlike", "numpy"), ("pytorch = 1", "numpy"), ("import torch_x\nimport scipy", "scipy"),
    ],
)  # fmt: skip
def test_torch_serves_what_imports_it(source: str, kind: str) -> None:
    assert host.kind_for(source) == kind
