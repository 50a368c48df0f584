"""Where a tensor's numbers are: always in the memory of the processor, `device("cpu")`.

The CPU can be named wherever PyTorch takes a device, so that `device = "cuda" if torch.cuda.is_available() else "cpu"`
and `x.to(device)` run here as they do there.
"""

from __future__ import annotations

from typing import Any


class device:
    """`device("cpu")`. AssertionError for "cuda", in PyTorch's words where it finds none; RuntimeError for others."""

    type, index = "cpu", None

    def __init__(self, type: Any) -> None:
        if not isinstance(type, device) and type not in ("cpu", "cpu:0"):
            if str(type).startswith("cuda"):
                raise AssertionError("Torch not compiled with CUDA enabled: minigrad computes on the CPU only.")
            advice = "minigrad computes on the CPU only; a dtype has no quotes, as in minigrad.float32."
            known = "Expected one of cpu, cuda, ... device type at start of device string"
            raise RuntimeError(f"{known if str(type).isalpha() else 'Invalid device string'}: {type!r}: {advice}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device)

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"


CPU = device("cpu")
