"""What becomes of jobs, as arrays, and the log of their runs."""

from typing import NamedTuple

import numpy as np

from ..model import Floats, Ints, Records
from ..records import record

COUNTS = record("now arrived finished waiting first running held area need logged marked keep")
"""The tick, how many jobs arrived and ended, the ring of those that wait, how many run, what they
hold, the integral of that, what all need, the lengths of the log and of the marks, and whether the
log is kept."""

FLEET_RUN = record("job start stop milli")
"""A run that is over; `milli` are thousandths of GPUs."""


class JobStates(NamedTuple):
    """By job: choice and stage of its plan, work left in the epoch, and what it holds."""

    lot: Floats
    """A number from 0 to 1 that draws its choice."""
    choice: Ints
    stage: Ints
    left: Ints
    milli: Ints
    """What it holds, or waits for."""
    rate: Ints
    """Its work in a tick on so much."""
    begun: Ints
    """When its run began."""
    working: Ints
    """From when on its work counts that `left` does not have yet."""
    due: Ints
    """When its stage ends."""
    first: Ints
    """When it first started, or -1."""
    end: Ints
    held: Ints
    """What its runs that are over held: thousandths of GPUs times ticks."""
    heap: Ints
    queue: Ints
    log: Records
    """Runs that are over."""
    marks: Ints
    """Ticks, and the integrals until then of what was rented and of what was held."""
    seen: Ints
    """Jobs that have arrived, by type."""
    done: Ints
    """Jobs that have ended, by type."""
    worked: Ints
    """The work of those, by type and epoch."""
    counts: Records


def new_lives(lots: Floats, shape: tuple[int, int], marks: Ints, *, keep: bool) -> JobStates:
    """Return lives that have not begun, of types and epochs in such numbers."""
    jobs, ints = len(lots), np.int64

    def zeros() -> Ints:
        return np.zeros(jobs, ints)

    table = np.zeros((len(marks), 3), ints)
    table[:, 0] = marks
    counts = np.zeros(1, COUNTS)
    counts["keep"] = keep
    return JobStates(
        lot=lots,
        choice=zeros(),
        stage=zeros(),
        left=zeros(),
        milli=zeros(),
        rate=zeros(),
        begun=zeros(),
        working=zeros(),
        due=zeros(),
        first=np.full(jobs, -1, ints),
        end=np.full(jobs, -1, ints),
        held=zeros(),
        heap=zeros(),
        queue=zeros(),
        log=np.zeros(2 * jobs + 64 if keep else 1, FLEET_RUN),
        marks=table,
        seen=np.zeros(shape[0], ints),
        done=np.zeros(shape[0], ints),
        worked=np.zeros(shape, ints),
        counts=counts,
    )


def with_room(lives: JobStates) -> JobStates:
    """Return the same with a log twice as long."""
    return lives._replace(log=np.concatenate([lives.log, np.zeros_like(lives.log)]))
