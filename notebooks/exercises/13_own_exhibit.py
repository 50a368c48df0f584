"""Exercise `own_exhibit`: a wrong engine of the learner's own, which the museum then shows."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from minigrad.teach import Case, Difference, Exercise, Mistake, edited, plain, show
from minigrad.teach.card import Card

from . import museum
from .museum import PROGRAMS, is_different, program_of

STEPS, ENOUGH = 50, 70  # of training, and percent that it has to reach: the right engine is at 91


def own_exhibit(source):
    """The text of the engine with one line changed, so that it still learns and has wrong gradients."""
    return source.replace("(g * y, g * x)", "(g * y, g * y)")


@dataclass(frozen=True)
class Exhibit:
    """What became of a text: how many lines differ, and which; what the engine reached and raised. `more` is the number
    of lines that it has more than the engine, or less.
    """

    lines: int
    more: int = 0
    line: str = ""
    reached: int = 0
    is_wrong: bool = False
    is_known: bool = False
    error: str = ""


def _exhibited(answer):
    """The museum's look at a text."""

    def run(source):
        text = answer(source)
        return _looked_at(text) if isinstance(text, str) else text

    return run


def _looked_at(text):
    was, now = museum.SOURCE.rstrip().splitlines(), text.rstrip().splitlines()
    blocks = SequenceMatcher(None, was, now, False).get_opcodes()
    lines = sum(max(end - start, stop - begin) for tag, start, end, begin, stop in blocks if tag != "equal")
    if lines != 1 or len(was) != len(now):
        return Exhibit(lines, len(now) - len(was))
    (line,) = [new.strip() for old, new in zip(was, now, strict=True) if old != new]
    try:
        engine = museum.made_of(text)
        reached = museum.trained(engine, STEPS)
        if reached.error:
            return Exhibit(1, line=line, error=reached.error)
        is_known = any(museum.is_like(engine, one) for one in museum.EXHIBITS.values())
        is_wrong = any(is_different(engine, number) for number in range(len(PROGRAMS)))
    except Exception as error:
        return Exhibit(1, line=line, error=f"{type(error).__name__}: {error}")
    return Exhibit(1, 0, line, reached.accuracies[-1], is_wrong, is_known)


def _compare(expected, got, outcome):
    if not isinstance(got, Exhibit):
        note = "The whole text of the engine is asked for, with one line changed: source.replace(old, new)."
        return Difference("the answer", show(got), "a text", note)
    if got.more:
        note = "A line was added or taken away. One line is to differ, and all others stay where they are."
        return Difference("the number of lines", f"{got.more:+}", "as it was", note)
    if got.lines != 1:
        note = "Nothing was changed: is the piece that you replace there, letter by letter?" if not got.lines else ""
        note = note or "One line is to differ. A piece may stand in several lines."
        return Difference("the lines that differ", f"{got.lines}", "1", note)
    if got.error:
        note = f"The engine raises, and everybody sees it: {plain(got.error)}"
        return Difference("the training", "ends with an error", "goes on to the end", note)
    if got.reached < ENOUGH:
        note = f"It was seen at once. A good exhibit still learns: {ENOUGH} % after {STEPS} steps, or more."
        return Difference("digits that are right", f"{got.reached} %", f"{ENOUGH} % or more", note)
    if not got.is_wrong:
        note = "The museum's test finds nothing wrong. Either it is right in other words, or it is wrong only for what "
        return Difference("values and gradients", "right", "wrong", note + "the engine of the chapter is never given.")
    if got.is_known:
        note = "This one hangs in the museum already: it computes what an exhibit computes."
        return Difference("the line", got.line, "another one", note)
    return None


def _show(value, arguments):
    """The line itself is not told: that of the reference would be the solution."""
    if not isinstance(value, Exhibit):
        return show(value)
    if value.more:
        return f"{abs(value.more)} lines {'more' if value.more > 0 else 'less'}"
    if value.lines != 1:
        return f"{value.lines} other lines"
    if value.error:
        return f"one other line, and {plain(value.error)}"
    known = ", on show already" if value.is_known else ""
    return f"one other line{known}; {value.reached} % of the digits; {'wrong' if value.is_wrong else 'right'} gradients"


def _hung(answer):
    """The exhibit, beside the right engine, on the first program that shows it."""
    engine = museum.made_of(answer(museum.SOURCE))
    number = next(number for number in range(len(PROGRAMS)) if is_different(engine, number))
    shown = museum.compare(engine, program_of(number))
    if isinstance(shown, Card) or shown.difference is not None:
        return shown
    return museum.compare(engine, _walked_before(program_of(number)))


def _walked_before(program):
    """The same program, whose graph has been walked through once already."""

    def walked(engine):
        computed = program(engine)
        computed["loss"].backward()
        return computed

    return walked


# ---------------------------------------------------------------- wrong answers


def unchanged(source):
    """Nothing was changed. replace() says nothing when it does not find a piece: copy it from the engine."""
    return source.replace("self.grad += ", "self.grad = ")


def in_other_words(source):
    """This engine is right, in other words: values and gradients are as before."""
    return source.replace("g * (x > 0)", "np.where(x > 0, g, 0)")


def on_show_already(source):
    """This one hangs in the museum already. Look for another line."""
    return source.replace("g * (x > 0)", "g")


def with_a_line_more(source):
    """A line was added. One line is to differ: change one that is there."""
    return source.replace("found = [self]\n", "found = [self]\n        self.data = self.data * 1.01\n")


def in_two_lines(source):
    """This piece stands in several lines, and each was changed. Take a longer piece, which stands there once."""
    return source.replace("x = self.data", "x = self.data * 1.1")


def no_python(source):
    """The text is no Python any more. Changed is a piece of a line, and brackets have to match."""
    return source.replace("(g * y, g * x)", "(g * y, g * y")


def the_line_alone(source):
    """One line came back. Asked for is the whole text, with that line in it."""
    return "lambda g: (g * y, g * y)"


def the_engine(source):
    """An engine came back, and a text is asked for: the source with one line changed."""
    return museum.made_of(source.replace("(g * y, g * x)", "(g * y, g * y)"))


# ---------------------------------------------------------------- tried as well


def exhibit_of_the_kink_turned(source):
    """Slope 1 at 0 is a right engine."""
    return source.replace("g * (x > 0)", "g * (x >= 0)")


def exhibit_with_a_comment(source):
    return source.replace("self.number = Array.made", "self.number = Array.made  # mine")


def exhibit_of_half_a_rate(source):
    """The root's gradient is a hundredth of what it should be: it would learn, in a hundred times as many steps."""
    return source.replace("self.grad = np.ones_like(self.data)", "self.grad = np.ones_like(self.data) / 100")


def exhibit_at_the_root(source):
    return source.replace("self.grad = np.ones_like(self.data)", "self.grad = np.ones_like(self.data) / 2")


def exhibit_by_lines(source):
    lines = source.split("\n")
    number = next(k for k, line in enumerate(lines) if "x ** (n - 1)" in line)
    lines[number] = lines[number].replace("g * n *", "g *")
    return "\n".join(lines)


EXERCISE = Exercise(
    title="the engine's text with one line changed, so that it still learns the digits, and its gradients are wrong",
    stars=2,
    minutes=10,
    reference=own_exhibit,
    cases=(Case("source, the text of Array", lambda: (museum.SOURCE,)),),
    hints=(
        "Which numbers does the network of the digits never ask for? A rule may be wrong for those.",
        "The network multiplies by constants only, has relu once, sums over all rows or along one axis, and uses "
        "log on numbers above 1.",
        "In `__mul__`, the second factor is a constant in the training, and nobody looks at its gradient: "
        'source.replace("(g * y, g * x)", "(g * y, g * y)").',
    ),
    plug=_exhibited,
    compare=_compare,
    show=_show,
    at_work=_hung,
    seconds=5.0,
    mistakes=(
        unchanged,
        Mistake(
            lambda source: source.replace("x.T @ g", "-(x.T @ g)"),
            words="The engine learns nothing, so it is found on the first day. Change a rule where "
            "it matters less, or by less.",
        ),
        in_other_words,
        Mistake(
            on_show_already,
            lambda source: source.replace("g * (x > 0)", "g * 1.0"),
            when=lambda outcome: getattr(outcome.value, "is_known", False),
        ),
        with_a_line_more,
        in_two_lines,
        Mistake(no_python, when=lambda outcome: "SyntaxError" in getattr(outcome.value, "error", "")),
        Mistake(the_line_alone, when=lambda outcome: getattr(outcome.value, "more", 0) < -50),
        Mistake(the_engine, when=lambda outcome: isinstance(outcome.value, type)),
    ),
    right=(
        exhibit_at_the_root,
        exhibit_by_lines,
        lambda source: source.replace("g * y,))\n\n    def log", "g * y * 1.1,))\n\n    def log"),
        lambda source: source.replace("Array(np.log(x)", "Array(np.log2(x)"),
        lambda source: source.replace("lambda g: (g, g)", "lambda g: (g, g * 1.3)"),
        lambda source: exhibit_at_the_root(source) + "\n\n",
    ),
    wrong={
        "The museum's test finds nothing wrong … This engine is right, in other words": [
            exhibit_of_the_kink_turned,
            exhibit_with_a_comment,
        ],
        "the lines that differ: yours … Nothing was changed": [
            lambda source: source.replace("return found", "return found\n        ")
        ],
        "The engine raises, and everybody sees it": [lambda source: source.replace("x.T @ g", "x.T @ g.T")],
        "It was seen at once": [exhibit_of_half_a_rate],
        "yours +2, expected as it was": [lambda source: source + "\n    bug = True\n"],
        "yours -1, expected as it was": [
            lambda source: source.replace("        self.grad = np.ones_like(self.data)\n", "")
        ],
        "The whole text of the engine is asked for": [edited(own_exhibit, 'y)")', 'y)").encode()')],
        "One line came back": [lambda source: ""],
    },
)
