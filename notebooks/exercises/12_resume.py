"""Exercise `resume`: a training that may be stopped at any moment, and goes on bit for bit."""

import copy
import functools
import io
import pickle
import tempfile
import warnings
import zlib
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad import nn
from minigrad.optim import lr_scheduler
from minigrad.teach import Difference, Exercise, Mistake, cases, compare, edited, flip, pick, raised, show

from .chapter09 import trained_state


def resume(path, model, optimizer, schedule, run_epoch, epochs):
    """Train on after what the file has, up to so many epochs; the losses of all of them."""
    parts, losses = {"model": model, "optimizer": optimizer, "schedule": schedule}, []
    if path.exists():
        saved = mg.load(path)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        mg.set_rng_state(saved["random"])
        losses = saved["losses"]
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        states = {name: part.state_dict() for name, part in parts.items()}
        mg.save({**states, "random": mg.get_rng_state(), "losses": losses}, path)
    return losses


class StoppedError(KeyboardInterrupt):
    """The training was stopped, as the stop button does it."""


class Call(NamedTuple):
    """What one call did: what it returned, and all that counts at the beginning of each epoch and at the end."""

    result: Any
    begins: list[dict[str, Any]]
    end: dict[str, Any] | None
    size: float  # of all numbers at the end
    is_saved: bool = False  # whether there is a file afterwards
    is_touched: bool = False  # whether the file that it found is another one afterwards


NUMBERS = np.random.default_rng(5).normal(0, 1, (6, 3)).astype(np.float32)
RULES = MOMENTUM, ADAM, GROUPS = "SGD with momentum", "Adam", "SGD in two groups"
SCHEDULES = {
    "StepLR": lambda optimizer: lr_scheduler.StepLR(optimizer, 2, 0.5),
    "CosineAnnealingLR": lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, 5),
    "LambdaLR": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch)),
}
OPTIMIZER, BUFFER, RATES, WEIGHTS = "the optimizer's", "running", "the rates", "weights"
SCHEDULE, RANDOM = "schedule.last_epoch", "the random numbers to come"
NAMES = ("model", "optimizer", "schedule")
STOPPED, CAUGHT = "stopped", "the stop was caught"


def _made(rule, kind, norm, seed):
    """A network, an optimizer and a schedule, as a new Python makes them: with other random numbers each time."""
    mg.manual_seed(seed)
    layers = [nn.Linear(3, 4), *([nn.BatchNorm1d(4)] if norm else []), nn.Tanh(), nn.Dropout(0.25), nn.Linear(4, 1)]
    model = nn.Sequential(*layers)
    groups = [{"params": layers[-1].parameters()}, {"params": layers[0].parameters(), "lr": 0.02}]
    make = mg.optim.Adam if rule == ADAM else mg.optim.SGD
    options = {"momentum": 0.9} if rule == MOMENTUM else {}
    optimizer = make(groups if rule == GROUPS else model.parameters(), lr=0.1, **options)
    return model, optimizer, SCHEDULES[kind](optimizer)


def _state(model, optimizer, schedule):
    """All that the next steps depend on, by words; numbers with all of their digits."""
    found = {name: str(one.tolist()) for name, one in trained_state(model, optimizer).items()}
    rates, random = [group["lr"] for group in optimizer.param_groups], zlib.crc32(mg.get_rng_state().numpy())
    return found | {RATES: str(rates), SCHEDULE: schedule.last_epoch, RANDOM: f"those of state {random:08x}"}


def _called(answer):
    return _right if answer is resume else functools.partial(_calls, answer)


@functools.cache
def _right(*case):
    return _calls(resume, *case)


def _calls(answer, plan, rule, kind, norm):
    """Each call gets new objects, another place, and of the call before nothing but the file."""
    calls, kept, random = [], None, mg.get_rng_state()
    with tempfile.TemporaryDirectory() as folder:
        for number, (epochs, stop) in enumerate(plan):
            path = Path(folder) / f"python{number}" / "training"
            path.parent.mkdir()
            if kept is not None and kept.exists():
                kept.rename(path)
            kept, before = path, _seen_of(path)
            made = _made(rule, kind, norm, 100 + number)
            call, after = _call(_in_a_new_python(answer), path, made, epochs, stop), _seen_of(path)
            calls.append(call._replace(is_saved=path.exists(), is_touched=before not in (None, after)))
    mg.set_rng_state(random)
    return tuple(calls)


def _seen_of(path):
    """What is another one after a file has been written or replaced, by the same numbers as well; None of none."""
    found = path.stat() if path.exists() else None
    return found and (found.st_ino, found.st_mtime_ns, found.st_size)


def _in_a_new_python(answer):
    """The function as the cell with it defines it anew: with lists and dicts, outside of it and as defaults, that hold
    nothing of an earlier call.
    """
    if not isinstance(answer, FunctionType):
        return answer
    names = {name: copy.copy(one) if isinstance(one, list | dict) else one for name, one in answer.__globals__.items()}
    defaults = copy.deepcopy(answer.__defaults__)
    return FunctionType(answer.__code__, names, answer.__name__, defaults, answer.__closure__)


def _call(answer, path, made, epochs, stop):
    model, optimizer, schedule = made
    inputs, begins = mg.tensor(NUMBERS), []

    def run_epoch(model, optimizer):
        begins.append(_state(model, optimizer, schedule))
        model.train()
        total = 0.0
        for half, places in enumerate(mg.randperm(len(inputs)).split(3)):
            optimizer.zero_grad()
            loss = (model(inputs[places]) - inputs[places, :1]).square().mean()
            loss.backward()
            optimizer.step()
            total += loss.item() / 2
            if len(begins) == stop and half == 0:
                raise StoppedError
        return total

    try:
        result = answer(path, model, optimizer, schedule, run_epoch, epochs)
        result, end = CAUGHT if stop and len(begins) >= stop else result, _state(*made)
    except StoppedError:
        result, end = STOPPED, None
    size = sum(one.abs().sum().item() for one in trained_state(model, optimizer).values())
    remembered = [one for kept in optimizer.state.values() for one in kept.values() if isinstance(one, mg.Tensor)]
    with mg.no_grad():  # whoever holds on to the objects of this call holds nothing that is of use in the next
        for one in (*model.parameters(), *model.buffers(), *remembered):
            one.zero_()
    return Call(result, begins, end, size)


def _compare(expected, got, outcome):
    for number, (right, mine) in enumerate(zip(expected, got, strict=True), 1):
        call = f"call {number}"
        if mine.result is CAUGHT and right.result is STOPPED:
            note = "The stop is to arrive at the caller. Only what is in the file by then counts."
            yield Difference(call, CAUGHT, STOPPED, note)
        for epoch, (wanted, begun) in enumerate(zip(right.begins, mine.begins, strict=False), 1):
            yield compare(wanted, begun, f"{call}, at the beginning of its epoch {epoch}, {{}}")
        note = "`epochs` is how many there are in all, with those that the file tells of."
        yield compare(len(right.begins), len(mine.begins), f"{call}, epochs that it ran", note)
        if right.end is not None:
            yield compare(right.end, mine.end, f"{call}, at its end, {{}}")
        note = "The losses of all epochs are asked for, as they came, in a list."
        yield compare(repr(right.result), repr(mine.result), f"{call}, what it returned", note)
        if not right.is_touched and mine.is_touched:
            note = "It is saved after each epoch, and at no other time. This call has come to the end of none."
            yield Difference(f"{call}, the file", "written anew" if mine.is_saved else "deleted", "as it was", note)


def _show(value, arguments):
    told = []
    for number, call in enumerate(value, 1):
        told.append(f"call {number} ran {len(call.begins)} epoch{'s' * (len(call.begins) != 1)}: {show(call.result)}")
        if call.end is not None:
            steps, rates = call.end[SCHEDULE], call.end[RATES]
            told[-1] += f", rates {rates} in step {steps} of the schedule, weights {call.size:.6g}"
        if not call.is_saved:
            told[-1] += ", no file"
    return "; ".join(told)


@cases("{words}; {rule}, {kind}, dropout", norm=", BatchNorm")
def _case(words, plan, rule=MOMENTUM, kind="StepLR", norm=False):
    return tuple(plan), rule, kind, norm


def _drawn(random):
    """Some calls, each of which is stopped after an epoch or in one, or comes to its end."""
    if random.integers(4):
        return  # a case takes a while
    epochs, plan, said = int(random.integers(1, 4)), [], []
    for _ in range(int(random.integers(1, 3))):
        stop = int(random.integers(1, 3)) if flip(random) else None
        plan.append((epochs, stop))
        said.append(f"one that is stopped in its epoch {stop}" if stop else f"one up to {epochs} epochs")
        epochs += int(random.integers(2))
    words = f"{', '.join(said)}, and one up to {epochs}"
    yield _case(words, [*plan, (epochs, None)], pick(random, RULES), pick(random, [*SCHEDULES]), flip(random))


def _calls_say(test):
    """For `when`: the test of what the calls did, and of what they should have done, holds."""
    return lambda outcome: outcome.error is None and bool(test(outcome.value, outcome.right))


def _lost(*kinds, also_rates=False):
    """For `when`: these kinds of things, and no others, are not what they should be as the second call begins its first
    epoch, but maybe the rates; a schedule that is not is where a new one is, and an optimizer remembers nothing.
    """

    def asked(mine, right):
        if len(mine) < 2 or not mine[1].begins or not right[1].begins or _unlike(right[0].begins, mine[0].begins):
            return False
        if SCHEDULE in kinds and mine[1].begins[0][SCHEDULE] != 0:
            return False
        if OPTIMIZER in kinds and any(OPTIMIZER in words for words in mine[1].begins[0]):
            return False
        found = {_kind(words) for words in _unlike(right[1].begins[:1], mine[1].begins[:1])}
        return found - {RATES} == {*kinds} and (RATES in found or not also_rates)

    return _calls_say(asked)


def _unlike(right, mine):
    pairs = zip(right, mine, strict=False)
    return [words for one, other in pairs for words in one if one[words] != other.get(words)]


def _kind(words):
    words = words.replace("num_batches_tracked", BUFFER)
    return next((kind for kind in (OPTIMIZER, BUFFER, RATES, SCHEDULE, RANDOM) if kind in words), WEIGHTS)


# ---------------------------------------------------------------- wrong answers


SAVE = '        mg.save({**states, "random": mg.get_rng_state(), "losses": losses}, path)\n'
RANDOM_AGAIN = 'mg.set_rng_state(saved["random"])'


def _save(path, parts, losses):
    states = {name: part.state_dict() for name, part in zip(NAMES, parts, strict=True)}
    mg.save({**states, "random": mg.get_rng_state(), "losses": losses}, path)


def _loaded(path, parts):
    """The losses so far; the states are put into the parts."""
    saved = mg.load(path)
    for name, part in zip(NAMES, parts, strict=True):
        part.load_state_dict(saved[name])
    mg.set_rng_state(saved["random"])
    return saved["losses"]


def _restored(path, parts):
    return _loaded(path, parts) if path.exists() else []


def _resumed(path, parts, run_epoch, epochs, losses, before=lambda epoch: None):
    """The loop alone, from where it is."""
    model, optimizer, schedule = parts
    for epoch in range(len(losses), epochs):
        before(epoch)
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        _save(path, parts, losses)
    return losses


def saved_in_any_case(path, model, optimizer, schedule, run_epoch, epochs):
    """What was saved when it was stopped is in the middle of an epoch, which nobody can go on with: the order of the
    images is lost, and the epoch is run again with weights that have learned a part of it. Save after an epoch only.
    """
    parts = model, optimizer, schedule
    losses = _restored(path, parts)
    try:
        while len(losses) < epochs:
            losses.append(run_epoch(model, optimizer))
            schedule.step()
    finally:
        _save(path, parts, losses)
    return losses


def saved_at_a_stop(path, model, optimizer, schedule, run_epoch, epochs):
    parts = model, optimizer, schedule
    losses = _restored(path, parts)
    while len(losses) < epochs:
        try:
            losses.append(run_epoch(model, optimizer))
        except KeyboardInterrupt:
            _save(path, parts, losses)
            raise
        schedule.step()
        _save(path, parts, losses)
    return losses


def losses_in_a_second_file(path, model, optimizer, schedule, run_epoch, epochs):
    """Only what is in the file at `path` is there in the new Python, and this looks for another one: put all of it into
    that at `path`.
    """
    parts, beside = (model, optimizer, schedule), path.with_suffix(".losses")
    losses = []
    if path.exists():
        _loaded(path, parts)
        losses = mg.load(beside)
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        mg.save(losses, beside)
        _save(path, parts, losses)
    return losses


def nothing_loaded(path, model, optimizer, schedule, run_epoch, epochs):
    """All epochs were done already, and what the file has was not loaded. The losses are right, but the network, the
    optimizer and the schedule are new ones. Load first, and then ask whether there is more to do.
    """
    if path.exists() and len(losses := mg.load(path)["losses"]) >= epochs:
        return losses
    return resume(path, model, optimizer, schedule, run_epoch, epochs)


def _missing(outcome):
    """The name of the file that was looked for and is not there."""
    error = outcome.error
    return Path(str(error.filename)).name if isinstance(error, FileNotFoundError) else ""


def _first_step_missing(mine):
    return len(mine[0].begins) > 1 and mine[0].begins[1][SCHEDULE] == 0


def _ever_stepped(mine):
    return mine[0].end is not None and mine[0].end[SCHEDULE] > 0


def saved_before_the_epoch(path, model, optimizer, schedule, run_epoch, epochs):
    """It is saved before each epoch, so that the last one is never in the file, and is run again."""
    parts = model, optimizer, schedule
    losses = _restored(path, parts)
    while len(losses) < epochs:
        _save(path, parts, losses)
        losses.append(run_epoch(model, optimizer))
        schedule.step()
    return losses


def saved_the_start(path, *parts_and_loop):
    """There is a file before any epoch is over. Save after each, and at no other time: a call that finds no file begins
    with what it was given.
    """
    if not path.exists():
        _save(path, parts_and_loop[:3], [])
    return resume(path, *parts_and_loop)


def so_many_more(path, model, optimizer, schedule, run_epoch, epochs):
    """`epochs` is how many there are in all, those before the stop among them. Here so many were added."""
    if path.exists():
        epochs += len(mg.load(path)["losses"])
    return resume(path, model, optimizer, schedule, run_epoch, epochs)


def losses_of_this_call(path, *others):
    """The epochs go on as they should. But returned are only the losses of this call: those from before have to be in
    the file, too.
    """
    before = len(mg.load(path)["losses"]) if path.exists() else 0
    return resume(path, *others)[before:]


def last_epoch_again(path, model, optimizer, schedule, run_epoch, epochs):
    """The last finished epoch is run once more. An epoch's number counts from 0: with number 1 two are finished."""
    parts, first = (model, optimizer, schedule), 0
    losses = _restored(path, parts)
    if losses:
        losses, first = losses
    for epoch in range(first, epochs):
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        _save(path, parts, (losses, epoch))
    return losses


def _step_early(schedule, count):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the optimizer has not stepped yet
        for _ in range(count):
            schedule.step()


def not_asked_for(path, *others):
    """At the first call there is no file yet: ask path.exists(), and begin without one."""
    return mg.load(path)["losses"] or resume(path, *others)


def one_more(path, model, optimizer, schedule, run_epoch, epochs):
    """There is one epoch too many: with the number 0 there are `epochs` of them up to epochs - 1."""
    return resume(path, model, optimizer, schedule, run_epoch, epochs + 1)


def stop_caught(*given):
    """The stop was caught, and nobody will know of it. Let it arrive at the caller: what counts is in the file."""
    try:
        return resume(*given)
    except BaseException:
        return []


# ---------------------------------------------------------------- tried as well


def resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs):
    parts = model, optimizer, schedule
    try:
        losses = _loaded(path, parts)
    except FileNotFoundError:
        losses = []
    return _resumed(path, parts, run_epoch, epochs, losses)


def resumed_with_the_schedule_gone_through(path, model, optimizer, schedule, run_epoch, epochs):
    """The schedule's count comes from its steps; the rates come with the optimizer."""
    losses = []
    if path.is_file():
        with path.open("rb") as stream:
            found = mg.load(stream)
        losses = found["losses"]
        schedule.last_epoch = schedule._step_count = len(losses)
        schedule._step_count += 1
        optimizer.load_state_dict(found["optimizer"])
        model.load_state_dict(found["model"])
        mg.set_rng_state(found["random"])
    return _resumed(path, (model, optimizer, schedule), run_epoch, epochs, losses)


def resumed_with_the_schedule_stepped_again(path, model, optimizer, schedule, run_epoch, epochs):
    """Right: the rates that its steps make are those that the optimizer's state brings, which is loaded after them."""
    losses = []
    if path.exists():
        found = mg.load(path)
        losses = found["losses"]
        _step_early(schedule, len(losses))
        model.load_state_dict(found["model"])
        optimizer.load_state_dict(found["optimizer"])
        mg.set_rng_state(found["random"])
    return _resumed(path, (model, optimizer, schedule), run_epoch, epochs, losses)


def resumed_and_saved_once_more(path, model, optimizer, schedule, run_epoch, epochs):
    losses = resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs)
    _save(path, (model, optimizer, schedule), losses)
    return losses


def resumed_by_pickle(path, model, optimizer, schedule, run_epoch, epochs):
    """Right, and without mg.save."""
    parts, losses = (model, optimizer, schedule), []
    if path.exists():
        weights, *others, random, losses = pickle.loads(path.read_bytes())
        for part, state in zip(parts, [{name: mg.tensor(one) for name, one in weights.items()}, *others], strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(random)
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        weights = {name: one.numpy().copy() for name, one in model.state_dict().items()}
        others = optimizer.state_dict(), schedule.state_dict(), mg.get_rng_state()
        beside = path.with_suffix(".part")
        beside.write_bytes(pickle.dumps((weights, *others, losses)))
        beside.replace(path)
    return losses


def resumed_with_copies(path, model, optimizer, schedule, run_epoch, epochs):
    losses = mg.zeros(0, dtype=mg.float64)
    if path.exists():
        losses = _loaded(str(path), (model, optimizer, schedule))
    while losses.numel() < epochs:
        loss = run_epoch(model, optimizer)
        losses = mg.cat([losses, mg.tensor([loss], dtype=mg.float64)])
        schedule.step()
        state = {
            "model": copy.deepcopy(model.state_dict()),
            "optimizer": copy.deepcopy(optimizer.state_dict()),
            "schedule": dict(schedule.state_dict()),
            "random": mg.get_rng_state().clone(),
            "losses": losses,
        }
        beside = path.with_suffix(".part")
        mg.save(state, beside)
        beside.replace(path)
    return losses.tolist()


def resumed_with_a_seed_for_each_epoch(path, model, optimizer, schedule, run_epoch, epochs):
    """No state of random numbers is needed, and the caller's are lost."""
    parts = model, optimizer, schedule
    return _resumed(path, parts, run_epoch, epochs, _restored(path, parts), before=mg.manual_seed)


def resumed_from_the_best(path, model, optimizer, schedule, run_epoch, epochs):
    """What is worse than before is not saved."""
    parts = model, optimizer, schedule
    losses = _restored(path, parts)
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        if losses[-1] == min(losses):
            _save(path, parts, losses)
    return losses


def resumed_and_tidied_up(path, model, optimizer, schedule, run_epoch, epochs):
    """Who is stopped before there is another file has none."""
    parts = model, optimizer, schedule
    losses = _restored(path, parts)
    path.unlink(missing_ok=True)
    return _resumed(path, parts, run_epoch, epochs, losses)


def resumed_with_a_file_of_the_start(path, model, optimizer, schedule, run_epoch, epochs):
    parts = model, optimizer, schedule
    if not path.exists():
        _save(path, parts, [])
    return _resumed(path, parts, run_epoch, epochs, _restored(path, parts))


def resumed_with_bytes_and_a_list(path, model, optimizer, schedule, run_epoch, epochs):
    """Right: written in one piece, and in an order of its own."""
    parts, losses = (model, optimizer, schedule), ()
    if path.is_file():
        random, *states, numbers = mg.load(io.BytesIO(path.read_bytes()))
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(random)
        losses = tuple(numbers.tolist())
    for _ in range(epochs - len(losses)):
        losses += (run_epoch(model, optimizer),)
        schedule.step()
        file = io.BytesIO()
        numbers = mg.tensor(losses, dtype=mg.float64)
        mg.save([mg.get_rng_state(), *(one.state_dict() for one in parts), numbers], file)
        path.write_bytes(file.getvalue())
    return list(losses)


LOSSES: list[float] = []


def resumed_with_losses_of_its_own(path, model, optimizer, schedule, run_epoch, epochs):
    """In a list that no other Python has."""
    parts = model, optimizer, schedule
    done = len(_restored(path, parts))
    del LOSSES[done:]
    for number in range(done, epochs):
        LOSSES.append(run_epoch(model, optimizer))
        schedule.step()
        _save(path, parts, [0.0] * (number + 1))
    return [*LOSSES]


def resumed_beside(path, *others):
    """In another file, which nobody takes along."""
    return resumed_by_the_error(path.with_suffix(".pt"), *others)


KEPT = {}


def resumed_in_memory(path, model, optimizer, schedule, run_epoch, epochs):
    """The states of the objects themselves, in a dict, and a file that says that there is one."""
    parts, losses = (model, optimizer, schedule), []
    if path.exists():
        for part, state in zip(parts, KEPT["states"], strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(KEPT["random"])
        losses = KEPT["losses"]
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        KEPT.update(states=[one.state_dict() for one in parts], random=mg.get_rng_state(), losses=[*losses])
        path.touch()
    return losses


def resumed_with_the_rate_alone(path, model, optimizer, schedule, run_epoch, epochs):
    losses = []
    if path.exists():
        found = mg.load(path)
        model.load_state_dict(found["model"])
        for group, old in zip(optimizer.param_groups, found["optimizer"]["param_groups"], strict=True):
            group["lr"] = old["lr"]
        schedule.load_state_dict(found["schedule"])
        mg.set_rng_state(found["random"])
        losses = found["losses"]
    return _resumed(path, (model, optimizer, schedule), run_epoch, epochs, losses)


def resumed_in_eval_mode(path, model, *others):
    """Right: the mode is none of what counts, since each epoch sets it."""
    losses = resumed_by_the_error(path, model, *others)
    model.eval()
    return losses


def resumed_once_more_at_the_end(path, model, optimizer, schedule, run_epoch, epochs):
    """An epoch on top, whose loss nobody sees."""
    losses = resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs)
    run_epoch(model, optimizer)
    return losses


def resumed_from_random_numbers_drawn(path, model, optimizer, schedule, run_epoch, epochs):
    """Something is drawn on the way."""
    return resumed_by_the_error(
        path, model, optimizer, schedule, lambda *parts: (mg.rand(1), run_epoch(*parts))[1], epochs
    )


EXERCISE = Exercise(
    title="a training that goes on after a stop, bit for bit; the losses of all its epochs",
    stars=3,
    minutes=15,
    reference=resume,
    cases=(
        _case("a call up to 2 epochs, and one up to 3", [(2, None), (3, None)], norm=True),
        _case("a call that is stopped in its epoch 2, and one up to 3", [(3, 2), (3, None)], ADAM, "CosineAnnealingLR"),
        _case("a call up to 1 epoch, twice", [(1, None), (1, None)], GROUPS, "LambdaLR", norm=True),
        _case("a call that is stopped in its epoch 1, and one up to 2", [(2, 1), (2, None)], norm=True),
        _case(  # in the fourth of all the loss goes up
            "calls that are stopped in their epoch 2, 1 and 4, and one up to 5",
            [(5, 2), (5, 1), (5, 4), (5, None)],
            GROUPS,
            norm=True,
        ),
    ),
    drawn=_drawn,
    hints=(
        "What does the next step depend on? Take the line `w -= rate * momentum`, and ask of each thing in it where it "
        "comes from, and which batch it is that comes next.",
        "The network and its buffers, what the optimizer remembers, the schedule, the random numbers, and how many "
        "epochs are done: the first three have a state_dict(), the random numbers have mg.get_rng_state(). Save all "
        "after each epoch and its schedule.step(), and at no other time.",
        "If path.exists(): saved = mg.load(path), load_state_dict(saved[...]) three times, and "
        'mg.set_rng_state(saved["random"]), losses = saved["losses"]. While len(losses) < epochs: append '
        "run_epoch(model, optimizer), schedule.step(), and mg.save a dict of the five.",
    ),
    plug=_called,
    compare=_compare,
    show=_show,
    seconds=15.0,
    mistakes=(
        Mistake(
            edited(
                resume,
                "while",
                "random = mg.get_rng_state()\n    while",
                '"random": mg.get_rng_state()',
                '"random": random',
            ),
            words="The random numbers were noted once, at the beginning of the call, so that those of its first epochs "
            "come again. Note them after each epoch.",
        ),
        Mistake(
            edited(resume, "        schedule.step()\n", ""),
            words="schedule.step() was not called: the rates stay what they were. It comes after each epoch.",
            when=_calls_say(lambda mine, right: _first_step_missing(mine) and not _ever_stepped(mine)),
        ),
        Mistake(
            edited(resume, "        schedule.step()\n", "        if len(losses) > 1:\n            schedule.step()\n"),
            words="After the first epoch of all schedule.step() was not called, so the second epoch has the first "
            "one's rate. It comes after each.",
            when=_calls_say(lambda mine, right: _first_step_missing(mine)),
        ),
        Mistake(
            edited(resume, SAVE, ""),
            words="There is no file afterwards: save after each epoch, under `path`, and leave it there.",
            when=_calls_say(
                lambda mine, right: right[0].is_saved and mine[0].begins and not any(call.is_saved for call in mine)
            ),
        ),
        Mistake(
            edited(resume, "if path", "path.unlink(missing_ok=True)\n    if path"),
            edited(resume, "path.exists()", "False"),
            words="The second call begins anew. If path.exists(), load what is there first.",
        ),
        Mistake(
            edited(resume, '"optimizer": optimizer, ', ""),
            words="What the optimizer remembers is gone: momentum, or Adam's means and its count of steps, begin at "
            "nothing again. Save and load optimizer.state_dict(), too.",
            when=_lost(OPTIMIZER),
        ),
        Mistake(
            edited(resume, ', "schedule": schedule', ""),
            words="The schedule begins to count at 0 again. Save and load schedule.state_dict(), too.",
            when=_lost(SCHEDULE),
        ),
        Mistake(
            edited(resume, RANDOM_AGAIN, "pass"),
            words="The random numbers are others: the images come in another order, and dropout drops others. Save "
            "mg.get_rng_state() as it is after each epoch, and mg.set_rng_state() it before the next.",
            when=_lost(RANDOM),
        ),
        Mistake(
            edited(resume, ', "optimizer": optimizer, "schedule": schedule', "", RANDOM_AGAIN, "pass"),
            words="The weights are there, and nothing else is: save and load the state_dict() of the optimizer and of "
            "the schedule, and the state of the random numbers, too.",
            when=_lost(OPTIMIZER, SCHEDULE, RANDOM),
        ),
        Mistake(
            edited(resume, ', "schedule": schedule', "", RANDOM_AGAIN, "pass"),
            words="The model and the optimizer go on, but the schedule counts from 0 again, and the random numbers are "
            "others.",
            when=_lost(SCHEDULE, RANDOM),
        ),
        Mistake(
            edited(resume, '"model": model, ', ""),
            edited(resume, "part.load_state_dict(saved[name])", "pass", RANDOM_AGAIN, "pass"),
            words="The weights were not loaded: the new network begins where a new network does.",
        ),
        Mistake(
            edited(resume, "load(path)", 'load(path)\n        saved["model"] |= dict(model.named_buffers())'),
            words="BatchNorm's running statistics are not those that the stop has left: they are buffers, not "
            "parameters, and state_dict() has both.",
            when=_lost(BUFFER),
        ),
        nothing_loaded,
        Mistake(
            edited(resume, "        states", "    states", "        mg.save", "    mg.save"),
            words="An epoch was over when it was stopped, and there is no file, or not any more: who goes on begins "
            "anew. Save after each, and leave what is there until the next is saved.",
            when=_calls_say(
                lambda mine, right: mine[0].result is STOPPED and right[0].is_saved and not mine[0].is_saved
            ),
        ),
        Mistake(saved_in_any_case, saved_at_a_stop),
        Mistake(
            edited(resume, "        schedule.step()\n", "", "}, path)", "}, path)\n        schedule.step()"),
            words="It was saved between the epoch and schedule.step(), so that this step of the schedule is missing "
            "afterwards. Save when both are over.",
        ),
        saved_before_the_epoch,
        Mistake(saved_the_start, when=_calls_say(lambda mine, right: mine[0].is_saved and not right[0].is_saved)),
        so_many_more,
        losses_of_this_call,
        last_epoch_again,
        Mistake(
            edited(resume, "if path", "mg.manual_seed(0)\n    if path", RANDOM_AGAIN, "pass"),
            words="The random numbers are not those that the caller has begun with, as where a seed is set, or one "
            "is drawn. Leave them alone where there is no file, and else let them go on from the state that was saved.",
            when=_calls_say(
                lambda mine, right: mine[0].begins and mine[0].begins[0][RANDOM] != right[0].begins[0][RANDOM]
            ),
        ),
        Mistake(
            edited(
                resume,
                ', "schedule": schedule',
                "",
                'losses = saved["losses"]',
                'losses = saved["losses"]\n        _step_early(schedule, len(losses))',
            ),
            words="The schedule counts right, but the rates are others: its steps make a rate from the one that is "
            "there, and optimizer.state_dict() brings the last one. Load that and schedule.state_dict(), and make no "
            "steps again.",
            when=_lost(also_rates=True),
        ),
        Mistake(
            edited(resume, "if path", "_step_early(schedule, 1)\n    if path"),
            words="schedule.step() came before the epoch: the first rate is never used. It comes after it.",
            when=_calls_say(lambda mine, right: any(one[SCHEDULE] for one in mine[0].begins[:1])),
        ),
        Mistake(not_asked_for, when=lambda outcome: _missing(outcome) == "training"),
        Mistake(losses_in_a_second_file, when=lambda outcome: _missing(outcome) not in ("", "training")),
        one_more,
        Mistake(stop_caught, when=_calls_say(lambda mine, right: mine[0].result is CAUGHT)),
        Mistake(
            edited(resume, "part.state_dict()", "part"),
            words="A file holds tensors, numbers, words, lists and dicts of them, and no other objects, not as keys "
            "either. Of what has a state_dict(), save that.",
            when=raised("minigrad.save can't write a"),
        ),
    ),
    right=(
        resumed_by_the_error,
        resumed_with_the_schedule_gone_through,
        resumed_with_copies,
        resumed_in_eval_mode,
        resumed_with_bytes_and_a_list,
        resumed_by_pickle,
        resumed_with_the_schedule_stepped_again,
    ),
    wrong={
        "call 2, what it returned … those from before have to be in the file": [resumed_with_losses_of_its_own],
        "raises KeyError": [resumed_in_memory],
        "as where a seed is set": [resumed_with_a_seed_for_each_epoch],
        "There is no file afterwards": [resumed_beside],
        "`epochs` is how many there are in all": [edited(resume, "len(losses) < epochs", "len(losses) > epochs")],
        "and this looks for another one": [
            edited(resume, "if path.exists", 'path.with_suffix(".p").read_text()\n    if path.exists')
        ],
        "not as keys either": [edited(resume, "{name: part.state", "{part: part.state")],
        "What the optimizer remembers is gone": [resumed_with_the_rate_alone],
        "call 4, at the beginning of its epoch 1": [resumed_from_the_best],
        "call 2, the file: yours deleted, expected as it was": [resumed_and_tidied_up],
        "This call has come to the end of none": [resumed_and_saved_once_more],
        "There is a file before any epoch is over": [resumed_with_a_file_of_the_start],
        "what it returned": [
            lambda *given: [round(loss, 4) for loss in resumed_by_the_error(*given)],
            lambda path, model, *others: (resumed_by_the_error(path, model, *others), model),
        ],
        "epochs that it ran": [resumed_once_more_at_the_end],
        "the random numbers to come … The random numbers are not those that the caller has begun": [
            resumed_from_random_numbers_drawn
        ],
    },
)
