"""Numbers that a small integer dtype cannot hold: computed with they wrap around, written they are refused.

What `uint8_image - 300` gives, for example, is seldom what was meant.
"""

from __future__ import annotations

from typing import Any

from helpers.side_by_side import Behaviours

behaviours = Behaviours()

WRAPPED = {
    "add": lambda F, x: x + -1,
    "add more": lambda F, x: x + 300,
    "subtract": lambda F, x: x - -1,
    "multiply": lambda F, x: x * -1,
    "divide, by floats": lambda F, x: x / -2,
    "floor divide": lambda F, x: x // -2,
    "remainder": lambda F, x: x % -3,
    "bits": lambda F, x: x & -2,
    "equal": lambda F, x: x == -1,
    "less": lambda F, x: x < -1,
    "where": lambda F, x: F.where(x > 1, x, -1),
    "in place": lambda F, x: x.clone().add_(-2),
    "fill": lambda F, x: x.clone().fill_(-2),
    "masked_fill": lambda F, x: x.masked_fill(x > 1, -1),
    "clamp": lambda F, x: x.clamp(min=-1),
}


@behaviours("a negative number beside uint8 wraps around")
def _(F: Any) -> Any:
    return {name: compute(F, F.tensor([1, 254], dtype=F.uint8)) for name, compute in WRAPPED.items()}


@behaviours("a negative number assigned to a place of uint8 wraps around")
def _(F: Any) -> Any:
    x = F.tensor([1, 2], dtype=F.uint8)
    x[0] = -1
    return x


@behaviours("a number too large for int8 or int32 wraps around")
def _(F: Any) -> Any:
    return F.tensor([1, 2], dtype=F.int8) + 300, F.tensor([1], dtype=F.int32) + 2**40


TOO_LARGE = "value cannot be converted to type uint8_t without overflow"


def refused(name: str, write: Any, error: type[Exception] = RuntimeError, says: str = TOO_LARGE) -> None:
    @behaviours(f"refused: {name}", error=error, says=says)
    def _(F: Any) -> Any:
        return write(F, F.tensor([1, 254], dtype=F.uint8))


refused("fill_ with 300", lambda F, x: x.fill_(300))
refused("fill_ with inf", lambda F, x: x.fill_(float("inf")))
refused("masked_fill with 300", lambda F, x: x.masked_fill(x > 1, 300))
refused("clamp to 300", lambda F, x: x.clamp(0, 300))
refused("300 as an exponent", lambda F, x: x**300)
refused("assignment of 300", lambda F, x: x.__setitem__(0, 300))
refused("assignment of nan", lambda F, x: x.__setitem__(0, float("nan")))
refused("an integer of more than 64 bits", lambda F, x: x + 2**70, OverflowError, "int too big to convert")

for comparison in ("eq", "ne", "lt", "le", "gt", "ge"):
    refused(
        f"a number first in {comparison}",
        lambda F, x, comparison=comparison: getattr(F, comparison)(1, x),
        TypeError,
        f"{comparison}() received an invalid combination of arguments - got (int, Tensor)",
    )

test_as_in_torch = behaviours.test()
