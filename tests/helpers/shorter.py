"""Trainings of the chapters that need not be so long where figures and bars need only be filled: nbval runs all of them
as they are, and compares what comes out.
"""

from typing import Any

# Of a chapter: what stands in its code once, and what stands there instead.
SHORTER = {
    "00_start_here": {"epochs = 200": "epochs = 10"},
    "11_profiler": {"photos = mg.randn(8, 3, 64, 64)": "photos = mg.randn(2, 3, 32, 32)"},
    "12_train_a_network": {
        "epochs, losses, right, rows = new_net(), 8": "epochs, losses, right, rows = new_net(), 2",
        "for epoch in range(3):": "for epoch in range(1):",
    },
    "15_layers_of_your_own": {"epochs=5, images=images": "epochs=1, images=images"},
    "16_a_sequence_model": {
        "losses = train(two_blocks, 200,": "losses = train(two_blocks, 60,",
        "losses = train(trained, 400,": "losses = train(trained, 50,",
    },
}


def shorten(notebook: Any, name: str) -> None:
    """Let a chapter's trainings be short."""
    for long, short in SHORTER.get(name, {}).items():
        (cell,) = [cell for cell in notebook.cells if cell.cell_type == "code" and long in cell.source]
        assert cell.source.count(long) == 1, long
        cell.source = cell.source.replace(long, short)
