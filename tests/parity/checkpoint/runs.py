"""Checkpoints to look at: functions whose runs are counted, and scenarios for both kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from side_by_side import Behaviours

import minigrad.utils.checkpoint  # noqa: F401 (so that F.utils.checkpoint is there)


def checkpoint(F: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The kind that keeps a graph, unless said otherwise."""
    kwargs.setdefault("use_reentrant", False)
    return F.utils.checkpoint.checkpoint(function, *args, **kwargs)


def counted(function: Callable[..., Any], runs: list[Any]) -> Callable[..., Any]:
    def counting(*args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return function(*args, **kwargs)

    return counting


def wave(x: Any) -> Any:
    return (x * x).sin().exp()


def of_both_kinds(behaviours: Behaviours) -> Callable[..., Callable[[Callable[[Any, bool], Any]], None]]:
    """`both("title")` makes two behaviours of a scenario that gets F and use_reentrant."""

    def both(title: str, **expected: Any) -> Callable[[Callable[[Any, bool], Any]], None]:
        def add(scenario: Callable[[Any, bool], Any]) -> None:
            for use_reentrant in (False, True):
                kind = "reentrant" if use_reentrant else "not reentrant"

                def of_one_kind(F: Any, use_reentrant: bool = use_reentrant) -> Any:
                    return scenario(F, use_reentrant)

                behaviours(f"{title} ({kind})", **expected)(of_one_kind)

        return add

    return both
