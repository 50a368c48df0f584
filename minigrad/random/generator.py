"""Where random numbers come from: a stream of 32-bit words that a seed determines, the same stream as PyTorch's.

It is that of the Mersenne Twister (M. Matsumoto and T. Nishimura, 1998): 624 words of state and the place among them.
The state can be read and put back to draw the same numbers again. What makes uniform or normal numbers of the words is
told in `recipes.py`. numpy makes the words, many at once.
"""

from __future__ import annotations

import os
import struct
import threading
from typing import Any

import numpy as np

from minigrad import devices
from minigrad.autograd.blame import type_name
from minigrad.ops.silence import silent
from minigrad.tensor import Tensor, from_array, own_array

FIRST_SEED = 67280421310721  # of a generator that was not given one: the seed that PyTorch has for them
WORDS = 624  # of the state
# PyTorch's layout of a state, so that one can be handed to the other: the seed, words left until the next 624 are made
# (plus one), whether there was a seed, the place of the next word, 624 words in 8 bytes each, the normal number that is
# kept for the next call (two unused, it, one unused), whether there is one, and a kept number of float32, never used.
_STATE = struct.Struct(f"<QiiQ{8 * WORDS}sdddi4xf?3x")


class Generator:
    """A source of random numbers. The same seed gives the same numbers, in every run and on every machine.

    `default_generator` is the one that is used where no `generator=` is given. Its methods may be called from several
    threads; who gets which numbers is then a matter of chance.
    """

    __slots__ = ("_seed", "_source", "spare_normal", "lock", "__weakref__")
    device = devices.CPU

    def __init__(self, device: Any = devices.CPU) -> None:
        devices.device(device)
        self.lock = threading.RLock()  # held while two numbers must not be drawn at a time
        self._start(FIRST_SEED)

    def _start(self, seed: int) -> None:
        self._seed = seed
        self._source: Any = None  # numpy's generator, made when numbers are first asked for
        self.spare_normal: float | None = None  # normal numbers are made in pairs; one may be left for the next call

    # -- the seed

    def manual_seed(self, seed: Any) -> Generator:
        """Start anew from a seed, from -2**63 to 2**64 - 1 (a negative one counts from 2**64 down); returns itself.

        Only its low 32 bits choose the numbers. RuntimeError for what is no int, ValueError for one out of range.
        """
        if isinstance(seed, Tensor) and seed.numel() == 1 and not seed.dtype.is_floating_point:
            seed = seed.item()
        if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}: {seed!r}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: a seed is from -2**63 to 2**64 - 1, and not {seed}")
        with self.lock:
            self._start(int(seed) % 2**64)
        return self

    def seed(self) -> int:
        """Start anew from a seed that nobody chose, and return it."""
        return self.manual_seed(int.from_bytes(os.urandom(8), "little")).initial_seed()

    def initial_seed(self) -> int:
        """The seed that it was started from."""
        return self._seed

    # -- the state

    def get_state(self) -> Tensor:
        """All that determines the numbers to come, as 5056 bytes: a tensor of uint8, the same that PyTorch gives."""
        with self.lock:
            state = self._numpy().bit_generator.state["state"]
            used = int(state["pos"]) % WORDS  # 0: the next 624 words are to be made
            left = WORDS + 1 - used if used else 1
            seed, words, spare = self._seed, state["key"].astype("<u8").tobytes(), self.spare_normal
        packed = _STATE.pack(seed, left, 1, used, words, 0.0, spare or 0.0, 0.0, spare is not None, 0.0, False)
        return from_array(np.frombuffer(packed, np.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go to a state that `get_state()` gave, of this generator or of another one; returns itself.

        TypeError for what is no tensor of uint8, RuntimeError for one that is no state.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a minigrad.ByteTensor, but got {type_name(new_state)}: get_state() gives one")
        array = own_array(new_state)
        if array.dtype != np.uint8:
            raise TypeError(f"RNG state must be a minigrad.ByteTensor, and not of {new_state.dtype}")
        if array.size != _STATE.size:
            expected = f"Expected a CPUGeneratorImplState of size {_STATE.size}"
            raise RuntimeError(f"{expected} but found the input RNG state size to be {array.size}")
        seed, left, seeded, used, words, _, spare, _, has_spare, _, _ = _STATE.unpack(array.tobytes())
        if seeded != 1 or not 0 < left <= WORDS or not used <= WORDS or left + used not in (1, WORDS + 1):
            raise RuntimeError("Invalid mt19937 state: give what get_state() gave")
        with self.lock:
            self._start(seed)
            place = {"key": np.frombuffer(words, "<u8").astype(np.uint32), "pos": WORDS if left == 1 else used}
            self._numpy().bit_generator.state = {"bit_generator": "MT19937", "state": place}
            self.spare_normal = spare if has_spare else None
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy or a pickle has of it."""
        return Generator, (), self.get_state()

    __setstate__ = set_state

    # -- the stream

    def _numpy(self) -> Any:
        """numpy's generator at this place of the stream. numpy.random is imported here, at first use: that takes as
        long as the whole engine.
        """
        with self.lock:
            if self._source is None:
                self._begin()
            return self._source

    @silent  # seeding changes numpy's error state, too, and can be stopped before it puts it back
    def _begin(self) -> None:
        twister = np.random.MT19937(0)
        np.random.RandomState(twister).seed(self._seed & 0xFFFFFFFF)
        self._source = np.random.Generator(twister)

    def words(self, count: int, kind: Any = np.uint32) -> Any:
        """The next `count` words: an array of uint32. Of kind uint64: the next pairs of words, the first one of each in
        the upper half.
        """
        return self._numpy().integers(0, np.iinfo(kind).max, count, dtype=kind, endpoint=True)


default_generator = Generator()
default_generator.seed()
