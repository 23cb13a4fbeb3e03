"""A graph of steps in characters, for a terminal, and in the language of Graphviz."""

from collections.abc import Sequence

from .flow import FlowGraph, Link, Slot, arrange

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
