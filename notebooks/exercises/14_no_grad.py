"""Exercise `no_grad`: recording switched off for a block of lines, and back to what it was."""

import contextlib
import functools
from unittest.mock import patch

from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw
from minigrad.teach.observing import StoppedError, right_but

from .chapter14 import Tensor, no_grad, step_observer


class FailedError(Exception):
    """What goes wrong inside a block."""


@step_observer
def _story_told(answer, kind, story):
    """Blocks inside each other, a block that raises, a block entered while it is off already."""
    seen = {}

    def look(when):
        seen[when] = "recorded" if (kind(2.0, True) * 3.0).requires_grad else "not recorded"
        seen[f"kind.recording {when}"] = kind.recording

    with patch.object(Tensor, "recording", True):  # what an answer does to it, the next story does not meet
        look("before")
        seen |= STORIES[story](answer, kind, look) or {}
        look("afterwards")
    return seen


def _once(answer, kind, look):
    with answer(kind):
        look("inside")
        look("inside, once more")


def _nested(answer, kind, look):
    with answer(kind):
        with answer(kind):
            look("in the inner block")
        look("in the outer block again")


def _raising(answer, kind, look, error=FailedError):
    error = error("of the block")
    try:
        with answer(kind):
            look("inside")
            raise error
    except BaseException as came:
        return {"the error of the block": "came out" if came is error else f"became a {type(came).__name__}"}
    return {"the error of the block": "was swallowed"}


def _off_already(answer, kind, look):
    kind.recording = False
    with answer(kind):
        look("inside")
    look("after the block, where it was off before it")
    kind.recording = True


def _made_early(answer, kind, look):
    block = answer(kind)
    look("when it is made, and not entered yet")
    with block:
        look("inside")


def _made_while_on(answer, kind, look):
    block = answer(kind)
    kind.recording = False
    with block:
        look("inside")
    look("after the block, where it was off when the block began")
    kind.recording = True


def _one_of_two(answer, kind, look):
    other = type("Other", (Tensor,), {})
    with answer(kind):
        look("inside")
        return {"another class, inside": "recorded" if (other(2.0, True) * 3.0).requires_grad else "not recorded"}


def _two_classes(answer, kind, look):
    other = type("Other", (Tensor,), {"recording": True})
    with answer(kind):
        with answer(other):
            look("inside both")
        seen = {"the other class, when its block has ended": other.recording}
        look("in the outer block again")
    return seen


STORIES = {
    "one block": _once,
    "a block in a block": _nested,
    "a block that raises an error": _raising,
    "a block that is stopped, by what is no Exception": functools.partial(_raising, error=StoppedError),
    **{
        f"a block that raises a {kind.__name__}": functools.partial(_raising, error=kind)
        for kind in (RuntimeError, ValueError, KeyError, ZeroDivisionError)
    },
    "a block where recording is off already": _off_already,
    "no_grad(kind) called, and entered later": _made_early,
    "no_grad(kind) called, and entered where recording is off by then": _made_while_on,
    "a block for one of two classes": _one_of_two,
    "a block for another class in a block": _two_classes,
}


def _case(story):
    return Case(story, lambda: (type("Kind", (Tensor,), {"recording": True}), story))


def _drawn(random):
    """The stories in another order: nothing that one leaves is met by the next."""
    yield from [_case(story) for story in random.permutation(list(STORIES))[:2]]


# ---------------------------------------------------------------- wrong answers

BEFORE = "self.before, kind.recording = kind.recording, False"


def no_block(kind):
    """What comes back cannot be used in a with statement. That takes an object of a class with the methods __enter__
    and __exit__; the class itself is none, nor is what a function with yield returns, unless contextlib.contextmanager
    stands above it.
    """
    kind.recording = False
    return kind


PLACE = [True]


def kept_in_one_place(kind):
    class Off:
        def __enter__(self):
            PLACE[0], kind.recording = kind.recording, False

        def __exit__(self, *error):
            kind.recording = PLACE[0]

    return Off()


def _off_after_a_stop(outcome):
    """Whether recording is off after what is no Exception, and nothing else is wrong."""
    return "no Exception" in outcome.case.words and right_but("afterwards")(outcome)


# ---------------------------------------------------------------- tried as well


def off_by_counting(kind, depth=[0]):  # noqa: B006
    class Off:
        def __enter__(self):
            depth[0] += 1
            kind.recording = False

        def __exit__(self, *error):
            depth[0] -= 1
            kind.recording = depth[0] == 0

    return Off()


def off_by_contextlib(kind):
    @contextlib.contextmanager
    def off():
        before, kind.recording = kind.recording, False
        try:
            yield
        finally:
            kind.recording = before

    return off()


def off_by_exit_stack(kind):
    class Off(contextlib.ExitStack):
        def __enter__(self):
            self.callback(setattr, kind, "recording", kind.recording)
            kind.recording = False
            return super().__enter__()

    return Off()


def off_by_one_count(kind, outer=[]):  # noqa: B006
    """Right for one class: the outermost block alone puts back what was before."""

    class Off:
        def __enter__(self):
            outer.append((kind, kind.recording))
            kind.recording = False

        def __exit__(self, *error):
            if len(outer) == 1:
                outer[0][0].recording = outer[0][1]
            outer.pop()

    return Off()


class OffForever:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        self.kept, self.kind.recording = self.kind.recording, False
        return self

    def __exit__(self, *error):
        self.kind.recording = self.kept
        return False


EXERCISE = Exercise(
    title="something for `with`: inside, kind.recording is False; afterwards, what it was",
    stars=2,
    minutes=7,
    reference=no_grad,
    plug=_story_told,
    cases=tuple(_case(story) for story in STORIES),
    drawn=_drawn,
    hints=(
        "A class with __enter__ and __exit__ does it, or contextlib.contextmanager.",
        "__enter__ keeps kind.recording and sets it to False; __exit__ puts back what was kept, also after an error.",
        "def __enter__(self): self.before, kind.recording = kind.recording, False. And def __exit__(self, *error): "
        "kind.recording = self.before. Return an object of that class.",
    ),
    mistakes=(
        Mistake(
            edited(no_grad, "kind.recording = self.before", "pass"), words="Recording is still off after the block."
        ),
        Mistake(
            edited(no_grad, "= self.before", "= True"),
            words="Afterwards it is True, whatever it was before. So an inner block switches recording on in the "
            "outer one. Keep what it was, and put that back.",
        ),
        Mistake(
            edited(no_grad, "= self.before", "= self.before\n            return True"),
            words="The error was swallowed: __exit__ returned something true, which tells Python that it is dealt "
            "with, or a `return` stands in `finally`, or an `except` lets nothing out.",
            when=saw("the error of the block", "swallowed"),
        ),
        Mistake(
            edited(
                off_by_contextlib, "finally:\n", "except ValueError:\n            raise KeyError\n        finally:\n"
            ),
            words="Another error came out than the one that the block raised. It is not dealt with here: put back what "
            "recording was, and let it go on as it is.",
            when=saw("the error of the block", "became"),
        ),
        Mistake(
            edited(
                off_by_contextlib, "try:\n            yield\n        finally:\n            kind", "yield\n        kind"
            ),
            words="After an error recording stays off. What comes after a yield is only reached with try and finally "
            "around it, and __exit__ has to put back in any case.",
        ),
        Mistake(
            edited(
                no_grad,
                BEFORE,
                "pass",
                "self.before",
                "before",
                "    class",
                "    before, kind.recording = kind.recording, False\n\n    class",
            ),
            words="It was switched off when no_grad was called. It is to happen in __enter__, when the block begins.",
        ),
        Mistake(
            edited(
                no_grad,
                BEFORE,
                "kind.recording = False",
                "self.before",
                "before",
                "    class",
                "    before = kind.recording\n\n    class",
            ),
            words="What recording was before was looked up when no_grad was called. Look when the block begins, in "
            "__enter__: by then it may be another.",
        ),
        Mistake(
            edited(
                no_grad, BEFORE, BEFORE.replace("kind", "Tensor"), "kind.recording = self", "Tensor.recording = self"
            ),
            words="Tensor was switched off, and not kind: the class for which the block is.",
        ),
        Mistake(
            edited(
                off_by_contextlib,
                "finally:\n",
                "except Exception:\n            kind.recording = before\n            raise\n        else:\n",
            ),
            edited(
                no_grad,
                "kind.recording = self",
                "if error[0] is None or issubclass(error[0], Exception):\n                kind.recording = self",
            ),
            words="What was raised is no Exception, as that of the stop button is none: `except Exception` passes it "
            "by, and recording stays off. finally puts back after everything, and so does __exit__ without an "
            "`if`.",
            when=_off_after_a_stop,
        ),
        Mistake(
            edited(
                no_grad,
                "= kind.recording, False",
                "= kind.recording, False\n            Tensor.recording = False",
                "= self.before",
                "= self.before\n            Tensor.recording = self.before",
            ),
            words="Another class was switched off as well. The block is for `kind`, and for what is derived from it.",
            when=saw("another class, inside", "not recorded"),
        ),
        Mistake(
            kept_in_one_place,
            near=True,
            words="The outer block has not put back what was before it, as where one place keeps that for all blocks, "
            "and the inner one writes over it. Keep it in the object, self.before, or in a variable of the call.",
        ),
        Mistake(
            edited(no_grad, BEFORE, "kind.recording = not kind.recording", "= self.before", "= not kind.recording"),
            words="Recording was turned over, so that an inner block switches it on. Set it to False, and afterwards "
            "to what it was.",
        ),
        Mistake(no_block, when=raised("context manager protocol")),
        Mistake(
            edited(no_grad, "(self, *error)", "(self)"),
            words="Python gives __exit__ three things more: the error's class, the error, and where it arose, or None "
            "three times. def __exit__(self, *error) takes them.",
            when=raised("__exit__() takes", kind=TypeError),
        ),
        Mistake(
            edited(no_grad, BEFORE, "self.before, self.recording = kind.recording, False"),
            words="Inside of the block operations are recorded as before: kind.recording is the place that they ask.",
            when=right_but("inside", lambda mine, right: mine == "recorded"),
        ),
    ),
    right=(off_by_contextlib, off_by_exit_stack, lambda kind: OffForever(kind)),
    wrong={
        "cannot be used in a with statement … the class itself is none": [
            edited(no_grad, "return Off()", "return Off"),
            lambda kind: (setattr(kind, "recording", one) for one in (False, True)),
        ],
        "kind.recording inside: yours None": [
            edited(no_grad, BEFORE, "self.before, kind.recording = kind.recording, None")
        ],
        "first difference": [
            off_by_counting,
        ],
        "afterwards: yours not recorded … After an error recording stays off": [
            edited(no_grad, "kind.recording = self", "if error[0] is None:\n                kind.recording = self")
        ],
        "the other class, when its block has ended: yours False, expected True": [off_by_one_count],
        "another class, inside: yours not recorded … Another class was switched off": [
            edited(
                no_grad,
                "= kind.recording, False",
                "= kind.recording, False\n            Tensor.recording = False",
                "= self.before",
                "= self.before\n            Tensor.recording = True",
            )
        ],
        "by what is no Exception … `except Exception` passes": [
            edited(
                off_by_contextlib,
                "finally:\n            kind",
                "except FailedError:\n            kind.recording = before\n            raise\n        kind",
            )
        ],
        "The error was swallowed": [
            edited(
                off_by_contextlib, "try:", "with contextlib.suppress(Exception):", "finally:\n            kind", "kind"
            ),
            edited(off_by_contextlib, "yield", "with contextlib.suppress(RuntimeError):\n                yield"),
            edited(no_grad, "= self.before", "= self.before\n            return error[0] is KeyError"),
        ],
        "Another error came out than the one that the block raised": [
            edited(
                off_by_contextlib,
                "finally:\n",
                "except ValueError as error:\n            raise RuntimeError from error\n        finally:\n",
            )
        ],
    },
)
