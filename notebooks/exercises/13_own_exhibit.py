"""Exercise `own_exhibit`: a wrong engine of the learner's own, which the museum then shows."""

import operator
from difflib import SequenceMatcher

from minigrad.teach import Case, Exercise, Mistake, edited, observer, saw
from minigrad.teach.card import Card

from . import museum
from .museum import PROGRAMS, is_different, program_of

STEPS, ENOUGH = 50, 70  # of training, and percent that it has to reach: the right engine is at 91


def own_exhibit(source):
    """The text of the engine with one line changed, so that it still learns and has wrong gradients."""
    return source.replace("(g * y, g * x)", "(g * y, g * y)")


BACK, MORE, LINES, TRAINING = "what came back", "the number of lines", "the lines that differ", "the training"
DIGITS, VALUES, LINE = "digits that are right", "values and gradients", "the line"


@observer
def _exhibited(answer, source):
    """The museum's look at a text: how many lines differ, what the engine reaches or raises, and what is seen of it.

    The line itself is told only if it is on show: that of the reference would be the solution.
    """
    text = answer(source)
    if not isinstance(text, str):
        return {BACK: text}
    was, now = museum.SOURCE.rstrip().splitlines(), text.rstrip().splitlines()
    blocks = SequenceMatcher(None, was, now, False).get_opcodes()
    lines = sum(max(end - start, stop - begin) for tag, start, end, begin, stop in blocks if tag != "equal")
    more = len(now) - len(was)
    seen = {BACK: "a text", MORE: f"{more:+}" if more else "as it was", LINES: lines}
    return seen | _engine_seen(text, was, now) if lines == 1 and not more else seen


def _engine_seen(text, was, now):
    (line,) = [new.strip() for old, new in zip(was, now, strict=True) if old != new]
    try:
        engine = museum.made_of(text)
        reached = museum.trained(engine, STEPS)
        if reached.error:
            return {TRAINING: f"ends with {reached.error}"}
        known = next((letter for letter, one in museum.EXHIBITS.items() if museum.is_like(engine, one)), "")
        is_wrong = any(is_different(engine, number) for number in range(len(PROGRAMS)))
    except Exception as error:
        return {TRAINING: f"ends with {type(error).__name__}: {error}"}
    right = reached.accuracies[-1]
    return {
        TRAINING: "goes on to the end",
        DIGITS: f"{ENOUGH} % or more" if right >= ENOUGH else f"{right} %",
        VALUES: "wrong" if is_wrong else "right",
        LINE: f"{line}, which does what engine_{known} does" if known else "another one",
    }


def _hung(answer):
    """The exhibit, beside the right engine, on the first program that shows it."""
    engine = museum.made_of(answer(museum.SOURCE))
    number = next(number for number in range(len(PROGRAMS)) if is_different(engine, number))
    shown = museum.compare(engine, program_of(number))
    if isinstance(shown, Card) or shown.difference is not None:
        return shown
    return museum.compare(engine, program_of(number), walked_before=True)


# ---------------------------------------------------------------- wrong answers


def unchanged(source):
    """Nothing was changed. replace() says nothing when it does not find a piece: copy it from the engine."""
    return source.replace("self.grad += ", "self.grad = ")


def in_other_words(source):
    """In all four programs values and gradients are as before: this engine is right, in other words, or it is wrong
    only where none of them goes.
    """
    return source.replace("g * (x > 0)", "np.where(x > 0, g, 0)")


def on_show_already(source):
    """This one hangs in the museum already, in these words or others: see which. Look for another line."""
    return source.replace("g * (x > 0)", "g")


def with_a_line_more(source):
    """A line was added. One line is to differ: change one that is there."""
    return source.replace("found = [self]\n", "found = [self]\n        self.data = self.data * 1.01\n")


def in_two_lines(source):
    """Several lines differ, as where a piece stands in each of them. Take a longer piece, which stands there once."""
    return source.replace("x = self.data", "x = self.data * 1.1")


def no_python(source):
    """The text is no Python any more. Changed is a piece of a line: brackets have to match, and the line begins in the
    column in which it began.
    """
    return source.replace("(g * y, g * x)", "(g * y, g * y")


def the_line_alone(source):
    """A line or a piece came back, or nothing. Asked for is the whole text, with one line changed."""
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
    notes={
        BACK: "The whole text of the engine is asked for, with one line changed: source.replace(old, new).",
        MORE: "A line was added or taken away. One line is to differ, and all others stay where they are.",
        LINES: "One line is to differ. A piece may stand in several lines; and if none has changed, is the piece that "
        "you replace there, letter by letter?",
        TRAINING: "The training ends with an error, and everybody sees it.",
        DIGITS: f"It was seen at once. A good exhibit still learns: {ENOUGH} % after {STEPS} steps, or more.",
        VALUES: "The museum's test finds nothing wrong. Either it is right in other words, or it is wrong only for "
        "what the engine of the chapter is never given.",
        LINE: "This one hangs in the museum already: it computes what an exhibit computes.",
    },
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
            when=saw(LINE, operator.ne),
        ),
        with_a_line_more,
        in_two_lines,
        Mistake(no_python, when=saw(TRAINING, lambda mine, right: "SyntaxError" in mine or "IndentationError" in mine)),
        Mistake(the_line_alone, when=saw(MORE, lambda mine, right: mine != right and int(mine) < -50)),
        Mistake(the_engine, when=saw(BACK, lambda mine, right: isinstance(mine, type))),
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
        "The museum's test finds nothing wrong … this engine is right, in other words": [
            exhibit_of_the_kink_turned,
            exhibit_with_a_comment,
        ],
        "the lines that differ: yours … Nothing was changed": [
            lambda source: source.replace("return found", "return found\n        ")
        ],
        "The training ends with an error, and everybody sees it": [
            lambda source: source.replace("x.T @ g", "x.T @ g.T"),
            lambda source: source.replace("class Array:", "class Engine:"),
        ],
        "The text is no Python any more": [lambda source: source.replace("    def exp", "     def exp")],
        "It was seen at once": [exhibit_of_half_a_rate],
        "yours +2, expected as it was": [lambda source: source + "\n    bug = True\n"],
        "yours -1, expected as it was": [
            lambda source: source.replace("        self.grad = np.ones_like(self.data)\n", "")
        ],
        "The whole text of the engine is asked for": [edited(own_exhibit, 'y)")', 'y)").encode()')],
        "or nothing. Asked for": [lambda source: ""],
    },
)
