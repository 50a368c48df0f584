"""`check`, `hint` and `predict`: each exercise and prediction, by its name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from minigrad.teach.card import Card, plain
from minigrad.teach.progress import kept


class _Named:
    """What has a name, and the nearest name to one that nothing has."""

    kind: ClassVar[str] = "exercise"

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = items

    def _has(self, name: Any) -> bool:
        return isinstance(name, str) and name in self._items

    def _first(self) -> str:
        return next(iter(self._items))

    def _item(self, name: str) -> Any:
        """The one of this name. Its chapter is the one that the learner is in."""
        item = self._items[name]
        kept.chapter = item.chapter
        return item

    def _unknown(self, name: object) -> str:
        """What to say about a name that does not exist."""
        close = difflib.get_close_matches(plain(name), self._items, 1)
        advice = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self._items)}"
        return f"there is no {self.kind} {plain(name)!r}: {advice}"


class _Members(_Named):
    """`group.name` for each name: what is called by the learner."""

    word: ClassVar[str] = "check"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what IPython asks of every object, also where no exercises are
            raise AttributeError(name)
        if name not in self._items:
            raise AttributeError(self._unknown(name))
        return self._item(name)

    def __dir__(self) -> Iterable[str]:
        return list(self._items)

    def __repr__(self) -> str:
        return ", ".join(f"{self.word}.{name}" for name in self._items)


class Checks(_Members):
    """`check.<name>(function)`: the check of each exercise."""

    def __call__(self, answer: Any = None) -> Card:
        """`check(slope_of_w)`: which check is meant says the function's own name."""
        name = getattr(answer, "__name__", None)
        if self._has(name):
            return self._item(str(name))(answer)
        first = answer if self._has(answer) else self._first()
        return Card("note", "say which check", (("try", f"check.{first}({first})"),))


class Hints(_Named):
    """`hint("name")`: one idea more at each call."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        super().__init__(items)
        self._given: dict[str, int] = {}

    def __repr__(self) -> str:
        return f'hint("{self._first()}")'

    def __call__(self, name: Any = None) -> Card:
        """The next hint for an exercise, with those that were given before. `name` may be the function itself."""
        name = getattr(name, "__name__", name)
        if not self._has(name):
            title = "say for which exercise" if name is None else self._unknown(name)
            return Card("note", title, (("try", f'hint("{self._first()}")'),))
        hints, chapter = self._item(name).hints, self._items[name].chapter
        given = self._given[name] = min(self._given.get(name, 0) + 1, len(hints))
        last = f"That was the last. The solution is folded below the exercise in notebooks/{chapter}.ipynb."
        if given < len(hints):
            last = f"Call hint({name!r}) again for the next."
        rows = [(f"{number} of {len(hints)}", hint) for number, hint in enumerate(hints[:given], 1)]
        return Card("note", f"{name}: hint {given}", (*rows, ("", last)))


class Predictions(_Members):
    """`predict.<name>()`: each prediction."""

    word, kind = "predict", "prediction"

    def __call__(self, name: Any = None) -> Any:
        """`predict("w_grad")` asks the same as `predict.w_grad()`."""
        if self._has(name):
            return self._item(name)()
        title = "say which prediction" if name is None else self._unknown(name)
        return Card("note", title, (("try", f"predict.{self._first()}()"),))
