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

LETTERS = "abcdef"


@dataclass(frozen=True)
class Option:
    """An answer, whether it is right, and why."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Prediction:
    """A question with one right option. `about` are lines of code that the question is about."""

    name: str
    question: str
    options: tuple[Option, ...]
    about: str = ""
    chapter: str = ""  # given by the file in which it stands

    def __post_init__(self) -> None:
        if sum(option.right for option in self.options) != 1 or len(self.options) > len(LETTERS):
            raise ValueError(f"prediction {self.name}: exactly one option is right, of at most {len(LETTERS)}")

    def __call__(self, answer: Any = None) -> Any:
        """Show the question; or with an answer, a letter, the verdict."""
        if answer is None:
            return Question(self)
        letter = answer.strip().strip("()").lower() if isinstance(answer, str) else ""
        if letter in LETTERS[: len(self.options)] and len(letter) == 1:
            return self.verdict(LETTERS.index(letter))
        for number, option in enumerate(self.options):
            if plain(answer).strip() == option.text:
                return self.verdict(number)
        letters = ", ".join(f'"{letter}"' for letter in LETTERS[: len(self.options)])
        return Card("note", f"{self.name}: {plain(answer)} is none of the options", (("try", f"one of {letters}"),))

    def verdict(self, number: int) -> Card:
        """What to say to an answer. It is kept in the learner's progress."""
        chosen = self.options[number]
        kept.record("predictions", self.name, "right" if chosen.right else "wrong")
        rows = [(f"({LETTERS[number]})", chosen.text), ("", chosen.why)]
        if not chosen.right:
            right = next(number for number, option in enumerate(self.options) if option.right)
            rows += [(f"({LETTERS[right]})", self.options[right].text), ("", self.options[right].why)]
        return Card("good" if chosen.right else "bad", "as predicted" if chosen.right else "not so", tuple(rows))


class Question:
    """A prediction on the page: buttons where a kernel is, options that open where none is, text everywhere else."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction

    def __repr__(self) -> str:
        asked = self.prediction
        options = [f"({letter}) {option.text}" for letter, option in zip(LETTERS, asked.options, strict=False)]
        about = [code(asked.about)] if asked.about else []
        return "\n".join(
            [asked.question, *about, *options, f'Answer with predict.{asked.name}("a"), or another letter.']
        )

    def _asked(self) -> str:
        about = f"<pre>{escape(self.prediction.about)}</pre>" if self.prediction.about else ""
        return f"<div><b>Predict.</b> {escape(self.prediction.question)}</div>{about}"

    def _repr_html_(self) -> str:
        options = "".join(
            f'<details style="margin:2px 0"><summary>({letter}) {escape(option.text)}</summary>'
            f'<div style="margin:2px 0 6px 1.4em">{"Right." if option.right else "No."} {escape(option.why)}</div>'
            "</details>"
            for letter, option in zip(LETTERS, self.prediction.options, strict=False)
        )
        frame = "border-left:4px solid #0072b2;padding:6px 12px;margin:4px 0"
        return f'<div style="{frame}">{self._asked()}{options}</div>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        view = _buttons(self)
        if view is not None:
            shown = view._repr_mimebundle_()
            shown = shown[0] if isinstance(shown, tuple) else shown
            bundle["application/vnd.jupyter.widget-view+json"] = shown["application/vnd.jupyter.widget-view+json"]
        return bundle


def _buttons(question: Question) -> Any:
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
    asked = question.prediction
    wide = widgets.Layout(width="auto", max_width="60em")
    labels = [f"({letter}) {option.text}" for letter, option in zip(LETTERS, asked.options, strict=False)]
    choice = widgets.RadioButtons(options=labels, index=None, layout=wide)
    commit = widgets.Button(
        description="That is my answer",
        disabled=True,
        layout=widgets.Layout(width="auto", margin="4px 0 4px 2px", align_self="flex-start"),
    )
    answer = widgets.HTML(layout=wide)

    def chosen(_: Any) -> None:
        commit.disabled = choice.index is None

    def committed(_: Any) -> None:
        if choice.index is not None:
            answer.value = asked.verdict(choice.index)._repr_html_()
            choice.disabled = commit.disabled = True

    choice.observe(chosen, "index")
    commit.on_click(committed)
    heading = widgets.HTML(question._asked(), layout=wide)
    return widgets.VBox(
        [heading, choice, commit, answer], layout=widgets.Layout(border_left="4px solid #0072b2", padding="4px 12px")
    )
