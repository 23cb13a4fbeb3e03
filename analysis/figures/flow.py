"""A graph of steps as data and in columns; in characters for a terminal, and for Graphviz."""

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


LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
"""The character that has strokes to these sides, by the sum of the sides."""

SHAPES = {"generate": "ellipse", "verify": "diamond", "table": "note", "given": "ellipse"}


def to_text(flow: FlowGraph) -> str:
    """Draw the graph from left to right."""
    columns = arrange(flow)
    height = 2 * max(map(len, columns.slots)) - 1
    blocks = list[list[str]]()
    for i, slots in enumerate(columns.slots):
        links = columns.links[i] if i < len(columns.links) else []
        blocks.append(_names(slots, {source for source, _ in links}, height))
        if links:
            blocks.append(_gutter(links, columns.slots[i + 1], height))
    lines = ["".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
    return "\n".join(lines) + "\n"


def _names(slots: Sequence[Slot], sources: set[int], height: int) -> list[str]:
    """Write a column: lines go on behind names that are needed, and all along where they pass."""
    wide = 1 + max(len(slot.step.name) for slot in slots if not slot.passing)
    lines = [" " * wide] * height
    for i, slot in enumerate(slots):
        name = "" if slot.passing else f"{slot.step.name} "
        lines[2 * i] = name.ljust(wide, "─" if i in sources else " ")
    return lines


def _gutter(links: Sequence[Link], after: Sequence[Slot], height: int) -> list[str]:
    """Draw the links between two columns; each place on the left has an upright line of its own."""
    sources = sorted({i for i, j in links})
    wide = 2 * len(sources) + 3
    sides = [[0] * wide for _ in range(height)]
    for i, _ in links:
        sides[2 * i][0] |= LEFT
    for i, j in links:
        turn = 1 + 2 * sources.index(i)
        _level(sides[2 * i], 0, turn)
        _level(sides[2 * j], turn, wide - 1)
        for y in range(2 * min(i, j), 2 * max(i, j)):
            sides[y][turn] |= DOWN
            sides[y + 1][turn] |= UP
    lines = [[LINES[cell] for cell in line] for line in sides]
    for _, j in links:
        lines[2 * j][-2:] = "──" if after[j].passing else "> "
    return ["".join(line) for line in lines]


def _level(line: list[int], start: int, end: int) -> None:
    for x in range(start, end):
        line[x] |= RIGHT
        line[x + 1] |= LEFT


def to_dot(flow: FlowGraph) -> str:
    """Write the graph for Graphviz: `dot -Tsvg`."""
    lines = ["digraph campaign {", "  rankdir=LR;"]
    for step in flow.steps:
        words = "\\n".join(filter(None, (step.name, f"{step.type}: {step.state}", step.about)))
        shape = SHAPES.get(step.type, "box")
        lines.append(f"  {_quoted(step.name)} [label={_quoted(words)}, shape={shape}];")
    for step in flow.steps:
        lines += [f"  {_quoted(need)} -> {_quoted(step.name)};" for need in step.needs]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
