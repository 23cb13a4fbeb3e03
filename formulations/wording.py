"""Rows of a program in words: component by component, with the jobs, servers and slots."""

import ast
import re
from collections.abc import Iterable

WORDS = {"j": "job", "s": "server", "t": "slot"}
"""What the index letters of docstrings stand for, where they have a word."""

DECLARED = re.compile(r"^ +(\w+)\[([^\]]*)\]", re.MULTILINE)
"""A component and its index letters in the docstring of a formulation."""

INDEX = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]+""")
"""One index in the name of a row; quoted where it holds signs."""


def letters(docstring: str) -> dict[str, tuple[str, ...]]:
    """Return the index letters of each component that a formulation's docstring declares."""
    return {
        name: tuple(letter.strip() for letter in inside.split(","))
        for name, inside in DECLARED.findall(docstring)
    }


def parts(name: str) -> tuple[str, tuple[str, ...]]:
    """Split the name of a row: ``capacity[s1,3]`` is ``capacity`` with ``s1`` and ``3``."""
    component, _, inside = name.partition("[")
    found = INDEX.findall(inside.removesuffix("]"))
    return component, tuple(ast.literal_eval(one) if one[0] in "'\"" else one for one in found)


def without_slots(name: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return component, jobs and servers of a row: what belongs together over all slots."""
    component, index = parts(name)
    return component, *(word for letter, word in _paired(component, index, known) if letter in "js")


def in_words(rows: Iterable[str], known: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a line for each component: its jobs, servers, slots, and how many rows."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        component, index = parts(row)
        found.setdefault(component, []).append(dict(_paired(component, index, known)))
    return [_line(component, members) for component, members in found.items()]


def _paired(
    component: str, index: tuple[str, ...], known: dict[str, tuple[str, ...]]
) -> list[tuple[str, str]]:
    names = known.get(component, ())
    if len(names) != len(index):
        names = tuple(f"index {i}" for i in range(1, len(index) + 1))
    return list(zip(names, index, strict=True))


def _line(component: str, members: list[dict[str, str]]) -> str:
    said = []
    for letter in members[0]:
        values = list(dict.fromkeys(member[letter] for member in members))
        word = WORDS.get(letter, letter)
        plural = "s" if letter in WORDS and len(values) > 1 else ""
        said.append(f"{word}{plural} {_ranges(values)}")
    count = f" ({len(members)} rows)" if len(members) > 1 else ""
    return f"{component}{': ' if said else ''}{', '.join(said)}{count}"


def _ranges(values: list[str]) -> str:
    """Join values; whole numbers in a row become a range."""
    if not all(value.isdecimal() for value in values):
        return " ".join(values)
    numbers = sorted(map(int, values))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
