"""A question that wants an answer before the page shows it.

Each wrong option is a mistake that people really make, and has the words that take it apart. On a page the options are
buttons, whether a kernel lives or not; `predict.name("b")` answers from code; where no script runs each option opens.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from minigrad.teach.card import Card, code, plain
from minigrad.teach.progress import kept

LETTERS = "abcdef"
SCRIPT = Path(__file__).with_name("prediction.mjs")


@dataclass(frozen=True)
class Option:
    """An answer, whether it is right, and why."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True, repr=False)
class Prediction:
    """A question with one right option. `about` are lines of code that the question is about.

    On a page it has buttons, or options that open where no script runs, and is text everywhere else.
    """

    name: str
    question: str
    options: tuple[Option, ...]
    about: str = ""
    chapter: str = ""  # given by the file in which it stands

    @property
    def labels(self) -> list[str]:
        """The options as the page shows them."""
        return [f"({letter}) {option.text}" for letter, option in zip(LETTERS, self.options, strict=False)]

    def __call__(self, answer: Any = None) -> Any:
        """Show the question; or with an answer, a letter, the verdict."""
        if answer is None:
            return self  # which the page shows
        given = plain(answer).strip() if isinstance(answer, str) else ""
        for number, option in enumerate(self.options):
            if given == option.text or given.strip("()").lower() == LETTERS[number]:
                return self.verdict(number)
        choice = ("try", "one of " + ", ".join(f'"{letter}"' for letter in LETTERS[: len(self.options)]))
        return Card("note", f"{self.name}: {plain(answer).strip() or repr('')} is none of the options", (choice,))

    def verdict(self, number: int) -> Card:
        """What to say to an answer. It is kept in the learner's progress."""
        self.record(number)
        return self.words_for(number)

    def record(self, number: int) -> None:
        """Keep an answer in the learner's progress."""
        kept.record("predictions", self.name, "right" if self.options[number].right else "wrong")

    def words_for(self, number: int) -> Card:
        """What to say to an answer."""
        chosen, right = self.options[number], next(option for option in self.options if option.right)
        rows: list[tuple[str, str]] = []
        for option in dict.fromkeys([chosen, right]):
            rows += [(f"({LETTERS[self.options.index(option)]})", option.text), ("", option.why)]
        return Card("good" if chosen.right else "bad", "as predicted" if chosen.right else "not so", tuple(rows))

    def __repr__(self) -> str:
        about = [code(self.about)] if self.about else []
        last = f'Answer with predict.{self.name}("a"), or another letter.'
        return "\n".join([self.question, *about, *self.labels, last])

    def _repr_html_(self) -> str:
        """The question with its options, which a script turns into buttons. The answers stand in it, too."""
        values = {
            "question": self.question,
            "about": self.about,
            "options": [
                {"label": label, "verdict": self.words_for(number)._repr_html_()}
                for number, label in enumerate(self.labels)
            ],
        }
        asked = escape(json.dumps(values, ensure_ascii=False))
        frame = "border-left:4px solid #0072b2;padding:6px 12px;margin:4px 0"
        inside = f"{self._still()}<script>{_script()}</script>"
        answered = json.dumps({"key": _key_of_model(self), "chosen": -1})  # what the page writes over as it is answered
        held = f"data-asked=\"{asked}\" data-answered='{answered}'"
        return f'<div class="minigrad-prediction" style="{frame}" {held}>{inside}</div>'

    def _still(self) -> str:
        """The question where no script runs: its options open."""
        about = f"<pre>{escape(self.about)}</pre>" if self.about else ""
        options = "".join(
            f'<details style="margin:2px 0"><summary>{escape(label)}</summary>'
            f'<div style="margin:2px 0 6px 1.4em">{"Right." if option.right else "No."} {escape(option.why)}</div>'
            "</details>"
            for label, option in zip(self.labels, self.options, strict=True)
        )
        return f"<div><b>Predict.</b> {escape(self.question)}</div>{about}{options}"


@lru_cache(maxsize=1)
def _script() -> str:
    lines = SCRIPT.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))


def _key_of_model(asked: Prediction) -> str:
    """The key of a new model that records what is answered on the page; "" where there can be none, since no kernel
    runs or a package is missing.
    """
    try:
        from IPython import get_ipython

        answers_of = _model()
    except ImportError:
        return ""
    if getattr(get_ipython(), "kernel", None) is None:
        return ""
    model = answers_of(key=uuid.uuid4().hex)
    model.observe(lambda change: asked.record(change["new"]), "chosen")
    return str(model.key)


@lru_cache(maxsize=1)
def _model() -> Any:
    """The class of a model without a view. `chosen` is the number of an option, from the page."""
    import traitlets
    from anywidget import AnyWidget

    from minigrad.viz.page import widget_source

    class Answers(AnyWidget):
        _esm = widget_source.join_scripts("announcing", "storing") + (
            "export default { initialize({ model }) { const ending = [announce(model), storeWhenSaved(model)]; "
            "return () => ending.forEach((end) => end()); } };"
        )
        key = traitlets.Unicode().tag(sync=True)
        chosen = traitlets.Int(-1).tag(sync=True)

    return Answers
