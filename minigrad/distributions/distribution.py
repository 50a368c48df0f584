"""What all distributions share: the shape of a batch of them, and the checks of parameters and values.

After this module a reader knows the shapes: parameters of shape `batch_shape` are as many distributions side by side;
`sample((n,))` draws n from each, and `log_prob` gives one number for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.ops.shapes.expanding import broadcast_tensors
from minigrad.tensor import Size, Tensor


class Constraint(NamedTuple):
    """What numbers may be: the name that messages use, and for each number whether it fits (nan never does)."""

    name: str
    fits: Any

    def __repr__(self) -> str:
        return self.name


def between(low: float, high: float) -> Constraint:
    """Numbers from `low` to `high`, both included."""
    return Constraint(
        f"Interval(lower_bound={low}, upper_bound={high})", lambda value: (value >= low) & (value <= high)
    )


real = Constraint("Real()", lambda value: value == value)  # all but nan
positive = Constraint("GreaterThan(lower_bound=0.0)", lambda value: value > 0)
boolean = Constraint("Boolean()", lambda value: (value == 0) | (value == 1))
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda value: (value == value).all(-1))


class Distribution:
    """A batch of distributions; the base class of those that can be drawn from.

    A subclass has `sample` or `rsample`, `log_prob`, `entropy`, `mean` and `variance`. `rsample` draws in a way that
    gradients flow back to the parameters; what `sample` draws has none.
    """

    has_rsample = False
    support: Constraint
    _validate_args = __debug__

    def __init__(
        self,
        batch_shape: Sequence[int],
        validate_args: bool | None = None,
        event_shape: Any = (),
        **parameters: Any,
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        self._shown = tuple(parameters)
        for name, constraint in parameters.items() if self._validate_args else ():
            value = getattr(self, name)
            if not constraint.fits(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked where a distribution does not say."""
        if value not in (True, False):
            raise ValueError(f"True or False, not {value!r}")
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch: how many distributions there are side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one drawing from one distribution: () for a single number, (k,) for a vector."""
        return self._event_shape

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw: a tensor of shape (*sample_shape, *batch_shape, *event_shape). The numbers have no gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw in a way that gradients flow to the parameters. NotImplementedError where there is none."""
        raise NotImplementedError(f"{type(self).__name__} draws whole numbers, which have no gradient: use sample()")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability, or density, at a value; ValueError if it cannot be drawn."""
        raise NotImplementedError

    def _extended_shape(self, sample_shape: Sequence[int]) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check_value(self, value: Any) -> None:
        """ValueError for a value that cannot have been drawn."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor: make it one, as in tensor(...)")
        event = value.shape[value.ndim - len(self._event_shape) :] if value.ndim >= len(self._event_shape) else ()
        if tuple(event) != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = self._extended_shape(())
        for own, given in zip(reversed(expected), reversed(value.shape), strict=False):
            if 1 not in (own, given) and own != given:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        if not self.support.fits(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        shown = [(name, getattr(self, name)) for name in self._shown]
        parts = [f"{name}: {value.item() if value.numel() == 1 else value.shape}" for name, value in shown]
        return f"{type(self).__name__}({', '.join(parts)})"


def same_shape(*values: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the first tensor."""
    kind = next((value.dtype for value in values if isinstance(value, Tensor)), dtypes.default)
    if not all(isinstance(value, Tensor | int | float) for value in values):
        raise ValueError("Input arguments must all be instances of Number or Tensor.")
    tensors = [value if isinstance(value, Tensor) else tensor(value, dtype=kind) for value in values]
    return list(broadcast_tensors(*tensors))
