"""A graph of steps as data, and its steps in columns: each column needs only those before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """A step: what it is called, of which type it is, how far it is, and what it needs."""

    name: str
    type: str
    state: str
    about: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowGraph:
    """Steps in layers, none of which needs another of its own layer."""

    about: str
    layers: tuple[tuple[FlowStep, ...], ...]

    @property
    def steps(self) -> list[FlowStep]:
        """All steps, in order."""
        return [step for layer in self.layers for step in layer]


class Slot(NamedTuple):
    """A place in a column: of a step, or of what goes by from a step further left."""

    step: FlowStep
    passing: bool


Link = tuple[int, int]
"""From a place in a column to one in the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where everything stands, and the links between each column and the next."""

    slots: list[list[Slot]]
    links: list[list[Link]]


def arrange(flow: FlowGraph) -> Columns:
    """Give every step and every passing link a place; few links cross."""
    layer = {step.name: i for i, some in enumerate(flow.layers) for step in some}
    slots = [[Slot(step, False) for step in some] for some in flow.layers]
    for name, last in _last_needed(flow, layer).items():
        step = next(step for step in flow.layers[layer[name]] if step.name == name)
        for column in slots[layer[name] + 1 : last]:
            column.append(Slot(step, True))
    for before, column in pairwise(slots):
        column.sort(key=lambda slot: fmean(_sources(slot, before)))
    return Columns(slots=slots, links=[_links(*pair) for pair in pairwise(slots)])


def _last_needed(flow: FlowGraph, layer: dict[str, int]) -> dict[str, int]:
    """Return for each step that is needed the last layer where it is."""
    found = dict[str, int]()
    for step in flow.steps:
        for need in step.needs:
            found[need] = max(found.get(need, 0), layer[step.name])
    return found


def _sources(slot: Slot, before: Sequence[Slot]) -> list[int]:
    """Return the places in the column before from which links come; a step has at least one."""
    wanted = {slot.step.name} if slot.passing else set(slot.step.needs)
    return [i for i, one in enumerate(before) if one.step.name in wanted]


def _links(before: Sequence[Slot], column: Sequence[Slot]) -> list[Link]:
    return [(i, j) for j, slot in enumerate(column) for i in _sources(slot, before)]
