"""The engine step by step, for schedulers in plain Python that are asked at every event."""

from collections.abc import Iterable

import numpy as np

from ..events import end_job, start_job
from ..jit import entry
from ..model import Ints, Model
from ..progress import next_free, next_tick
from ..queue import pop
from ..state import State, new_state
from .evaluate import HeldPieces, new_holds


class MakespanSteps:
    """Jobs that start when they are told to, and end when their work is done."""

    def __init__(self, model: Model) -> None:
        """Begin with an idle cluster."""
        room = int(np.minimum(model.jobs["gpus"], model.servers).sum())
        self._model, self._state = model, new_state(model, room)
        self._holds, self._used = new_holds(model, room), 0
        self._ended: Ints = np.empty(model.jobs.size, np.int64)
        self.alone: list[float] = model.jobs["alone"].tolist()
        """Slots that each job takes inside one server."""
        self.release: list[float] = _releases(model).tolist()
        """When each job may start."""

    def next_end(self) -> float:
        """Return when GPUs are given back next; infinity if none ever are."""
        return float(_next(self._model, self._state))

    def go_to(self, now: float) -> list[int]:
        """Let all jobs end that are due by `now`; return them."""
        count = _end_until(self._model, self._state, self._holds, now, self._ended)
        return [int(job) for job in self._ended[:count]]

    def start(self, job: int, pieces: Iterable[tuple[int, int]], now: float) -> None:
        """Start a job on (server, GPUs) that are idle."""
        holds, a = self._holds, self._used
        for server, count in pieces:
            holds.servers[self._used], holds.pieces[self._used] = server, count
            self._used += 1
        holds.begin[job], holds.stop[job] = a, self._used
        _start(self._model, self._state, holds, job, now)


@entry
def _releases(model: Model) -> np.ndarray:
    found = np.empty(model.jobs.size)
    for j in range(found.size):
        found[j] = next_tick(model, model.jobs[j].release)
    return found


@entry
def _next(model: Model, state: State) -> float:
    return next_free(model, state)


@entry
def _start(model: Model, state: State, holds: HeldPieces, job: int, now: float) -> None:
    a, b = holds.begin[job], holds.stop[job]
    start_job(model, state, job, holds.servers, holds.pieces, a, b, now)


@entry
def _end_until(model: Model, state: State, holds: HeldPieces, now: float, ended: Ints) -> int:
    count = 0
    while next_free(model, state) <= now:
        job = pop(state)
        end_job(model, state, job, holds.servers, holds.pieces, holds.begin[job], holds.stop[job])
        ended[count] = job
        count += 1
    return count
