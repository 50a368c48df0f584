"""A question that wants an answer before the page shows it.

Each wrong option is a mistake that people really make, and has the words that take it apart. In JupyterLab the options
are buttons; `predict.name("b")` answers from code; on a page without a kernel each option opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from minigrad.teach.card import Card, code, plain
from minigrad.teach.progress import kept

LINES = '<div style="line-height:1.4">{}</div>'  # a widget has them as far apart as its buttons
LETTERS = "abcdef"
WIDGET = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Option:
    """An answer, whether it is right, and why."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True, repr=False)
class Prediction:
    """A question with one right option. `about` are lines of code that the question is about.

    On the page it has buttons where a kernel is, options that open where none is, and is text everywhere else.
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
        chosen, right = self.options[number], next(option for option in self.options if option.right)
        kept.record("predictions", self.name, "right" if chosen.right else "wrong")
        rows: list[tuple[str, str]] = []
        for option in dict.fromkeys([chosen, right]):
            rows += [(f"({LETTERS[self.options.index(option)]})", option.text), ("", option.why)]
        return Card("good" if chosen.right else "bad", "as predicted" if chosen.right else "not so", tuple(rows))

    def __repr__(self) -> str:
        about = [code(self.about)] if self.about else []
        last = f'Answer with predict.{self.name}("a"), or another letter.'
        return "\n".join([self.question, *about, *self.labels, last])

    def _asked(self) -> str:
        about = f"<pre>{escape(self.about)}</pre>" if self.about else ""
        return f"<div><b>Predict.</b> {escape(self.question)}</div>{about}"

    def _repr_html_(self) -> str:
        options = "".join(
            f'<details style="margin:2px 0"><summary>{escape(label)}</summary>'
            f'<div style="margin:2px 0 6px 1.4em">{"Right." if option.right else "No."} {escape(option.why)}</div>'
            "</details>"
            for label, option in zip(self.labels, self.options, strict=True)
        )
        frame = "border-left:4px solid #0072b2;padding:6px 12px;margin:4px 0"
        return f'<div style="{frame}">{self._asked()}{options}</div>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if (view := _buttons(self)) is not None:
            shown = view._repr_mimebundle_()
            bundle[WIDGET] = (shown[0] if isinstance(shown, tuple) else shown)[WIDGET]
        return bundle


def _buttons(asked: Prediction) -> Any:
    """The widget: a radio button for each option, and one to commit. None where ipywidgets is not installed or there
    is no kernel.
    """
    try:
        import ipywidgets as widgets
        from IPython import get_ipython
    except ImportError:
        return None
    if getattr(get_ipython(), "kernel", None) is None:
        return None
    wide = widgets.Layout(width="auto", max_width="60em")
    narrow = widgets.Layout(width="auto", margin="4px 0 4px 2px", align_self="flex-start")
    frame = widgets.Layout(border_left="4px solid #0072b2", padding="4px 12px")
    choice = widgets.RadioButtons(options=asked.labels, index=None, layout=wide)
    commit = widgets.Button(description="That is my answer", disabled=True, layout=narrow)
    answer = widgets.HTML(layout=wide)

    def chosen(_: Any) -> None:
        commit.disabled = choice.index is None

    def committed(_: Any) -> None:
        if choice.index is not None:
            answer.value = LINES.format(asked.verdict(choice.index)._repr_html_())
            choice.disabled = commit.disabled = True

    choice.observe(chosen, "index")
    commit.on_click(committed)
    heading = widgets.HTML(LINES.format(asked._asked()), layout=wide)
    return widgets.VBox([heading, choice, commit, answer], layout=frame)
