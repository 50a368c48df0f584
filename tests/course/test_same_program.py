"""The promise of the package in one test: a program written for PyTorch, run after `import minigrad as torch`.

Nothing is handed over between the two sides but the seed: initial weights, shuffling and dropout come from it. So the
losses agree step by step.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import minigrad
from minigrad.datasets import digits


def training(torch: Any, file: Path) -> dict[str, Any]:
    """Some steps of a small network on the digits, as they are written everywhere."""
    nn, F = torch.nn, torch.nn.functional
    data = importlib.import_module(f"{torch.__name__}.utils.data")
    images, labels, *_ = (np.array(part.numpy()) for part in digits())
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(1, 8, 3, padding=1, bias=False)  # a bias before a norm has no gradient but rounding
            self.norm = nn.BatchNorm2d(8)
            self.dropout = nn.Dropout(0.1)
            self.last = nn.Linear(8 * 4 * 4, 10)

        def forward(self, x: Any) -> Any:
            x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
            return F.log_softmax(self.last(self.dropout(torch.flatten(x, 1))), dim=1)

    net = Net().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
    dataset = data.TensorDataset(torch.from_numpy(images).unsqueeze(1) / 16, torch.from_numpy(labels))
    losses = []
    for (batch, target), _ in zip(data.DataLoader(dataset, batch_size=64, shuffle=True), range(8), strict=False):
        optimizer.zero_grad()
        loss = F.nll_loss(net(batch.to(device)), target.to(device))
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    torch.save(net.state_dict(), file)
    again = Net().eval()
    loaded = again.load_state_dict(torch.load(file))
    with torch.no_grad():
        scores = again(dataset[:100][0])
    return {"net": repr(net), "losses": losses, "loaded": repr(loaded), "scores": scores.numpy()}


def test_the_same_program_does_the_same(torch: ModuleType, tmp_path: Path) -> None:
    ours, theirs = training(minigrad, tmp_path / "ours.pt"), training(torch, tmp_path / "theirs.pt")
    assert ours["net"] == theirs["net"]
    assert ours["loaded"] == theirs["loaded"]
    np.testing.assert_allclose(ours["losses"], theirs["losses"], rtol=1e-3)
    np.testing.assert_allclose(ours["scores"], theirs["scores"], atol=1e-3)
    assert theirs["losses"][-1] < 0.8 * theirs["losses"][0]
