"""Loading batches ahead of time: threads that read while the program computes.

After this module a reader knows what `num_workers` does here. PyTorch starts processes; these are threads, which cost
nothing to start and need not send what they read, but only run while numpy or a file does the work. Batch k is made by
worker k modulo their number, and they are handed out in order, so that the loop sees the same batches as without
workers. (Random numbers that a dataset draws itself come from the one default generator: which batch gets which of them
is then a matter of chance.)
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class WorkerInfo:
    """What `get_worker_info()` tells a dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


class _CurrentWorker(threading.local):
    info: WorkerInfo | None = None


_current_worker = _CurrentWorker()
_END = object()  # in place of a batch: the worker has no more


def get_worker_info() -> WorkerInfo | None:
    """In a worker of a DataLoader, its number and how many there are; None in the main program.

    A dataset that is a stream needs it: each worker goes through all of the stream, unless it takes only its share.
    """
    return _current_worker.info


class _Worker:
    """A thread with a row of batches to make and a row of those that are made."""

    def __init__(self, info: WorkerInfo, init_fn: Callable[[int], Any] | None, fetcher: Callable[[], Any]) -> None:
        self.wanted: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.made: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.over = False
        self.thread = threading.Thread(target=self._run, args=(info, init_fn, fetcher), daemon=True)
        self.thread.start()

    def _run(self, info: WorkerInfo, init_fn: Callable[[int], Any] | None, fetcher: Callable[[], Any]) -> None:
        _current_worker.info = info
        try:
            if init_fn is not None:
                init_fn(info.id)
            fetch = fetcher()
            while (indices := self.wanted.get()) is not _END:
                self.made.put((fetch(indices), None))
        except StopIteration:
            self.made.put((_END, None))
        except BaseException as error:  # raised in the main program, where it is waited for
            self.made.put((_END, error))


def batches(
    indices: Iterator[Any],
    fetcher: Callable[[], Callable[[Any], Any]],
    infos: list[WorkerInfo],
    ahead: int,
    init_fn: Callable[[int], Any] | None,
) -> Iterator[Any]:
    """The batches for what `indices` gives, in order.

    Args:
        fetcher: makes the function that makes a batch, once for each worker.
        ahead: how many batches each worker makes before they are asked for.
        init_fn: called in each worker at its start, with its number.
    """
    workers = [_Worker(info, init_fn, fetcher) for info in infos]
    waiting: list[_Worker] = []  # who makes the next batches, in order
    turn = 0

    def ask() -> None:
        """Have the next worker in turn make one batch more, if there is one to be made."""
        nonlocal turn
        for _ in workers:
            worker = workers[turn % len(workers)]
            turn += 1
            if not worker.over:
                for wanted in indices:
                    worker.wanted.put(wanted)
                    waiting.append(worker)
                    return
                return

    try:
        for _ in range(max(ahead, 1) * len(workers)):
            ask()
        while waiting:
            worker = waiting.pop(0)
            if worker.over:
                continue
            batch, error = worker.made.get()
            if error is not None:
                raise error
            if batch is _END:
                worker.over = True
                ask()
                continue
            ask()
            yield batch
    finally:
        for worker in workers:
            worker.wanted.put(_END)
