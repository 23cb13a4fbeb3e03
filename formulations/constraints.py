"""Constraint models: whole variables, tasks on shared resources, clauses and conditional rows.

A model asks whether there are values at all. It has no objective. `files/constraints.py` writes it
for MiniZinc and for CP-SAT, and `unmet` holds values against it.

A variable is its number. A literal is a variable from 0 to 1, or ``~variable`` for its opposite.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Terms = Mapping[int, int]
"""The coefficients of variables."""


class Variable(NamedTuple):
    """A whole variable. Its name is as in programs, such as ``start[j0]``."""

    name: str
    low: int
    high: int


class Linear(NamedTuple):
    """``low <= terms <= high``, where an absent side is None, if all literals of `when` hold."""

    terms: tuple[tuple[int, int], ...]
    low: int | None
    high: int | None
    when: tuple[int, ...] = ()


class Clause(NamedTuple):
    """At least one literal holds."""

    literals: tuple[int, ...]


class All(NamedTuple):
    """All literals hold, if all literals of `when` do."""

    literals: tuple[int, ...]
    when: tuple[int, ...]


class ExactlyOne(NamedTuple):
    """Exactly one literal holds."""

    literals: tuple[int, ...]


class Maximum(NamedTuple):
    """The sum of terms is the largest of the variables."""

    terms: tuple[tuple[int, int], ...]
    variables: tuple[int, ...]


class Task(NamedTuple):
    """A task from `start` to `end` that holds a fixed or a variable number of units.

    With a literal `present` that does not hold, there is no task.
    """

    start: int
    length: int
    end: int
    units: int
    """The number, unless `variable` is one."""
    variable: int | None = None
    present: int | None = None


class Cumulative(NamedTuple):
    """At no moment do tasks hold more than the capacity."""

    tasks: tuple[Task, ...]
    capacity: int


Constraint = Linear | Clause | All | ExactlyOne | Maximum | Cumulative


@dataclass(frozen=True, slots=True)
class ConstraintModel:
    """The variables of a model, and its constraints in the order in which they were stated."""

    variables: list[Variable] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)

    def whole(self, name: str, low: int, high: int) -> int:
        """Add a variable from `low` to `high`."""
        self.variables.append(Variable(name, low, high))
        return len(self.variables) - 1

    def flag(self, name: str) -> int:
        """Add a variable that is 0 or 1, which is a literal, too."""
        return self.whole(name, 0, 1)

    def linear(
        self,
        terms: Terms,
        *,
        low: int | None = None,
        high: int | None = None,
        when: Sequence[int] = (),
    ) -> None:
        """Add a row with one or two sides."""
        self.constraints.append(Linear(tuple(terms.items()), low, high, tuple(when)))

    def equal(self, terms: Terms, side: int = 0, when: Sequence[int] = ()) -> None:
        """Add a row whose sides are equal."""
        self.linear(terms, low=side, high=side, when=when)

    def clause(self, *literals: int) -> None:
        """Let at least one literal hold."""
        self.constraints.append(Clause(literals))

    def every(self, *literals: int, when: Sequence[int]) -> None:
        """Let all literals hold if those of `when` do."""
        self.constraints.append(All(literals, tuple(when)))

    def exactly_one(self, literals: Iterable[int]) -> None:
        """Let one literal hold."""
        self.constraints.append(ExactlyOne(tuple(literals)))

    def maximum(self, terms: Terms, variables: Iterable[int]) -> None:
        """Let a sum be the largest of some variables."""
        self.constraints.append(Maximum(tuple(terms.items()), tuple(variables)))

    def cumulative(self, tasks: Iterable[Task], capacity: int) -> None:
        """Let tasks share a resource."""
        self.constraints.append(Cumulative(tuple(tasks), capacity))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in their order."""
        return tuple(variable.name for variable in self.variables)


def sides(row: Linear) -> tuple[int, int]:
    """Return both sides of a row as CP-SAT has them, where an absent one is the last number."""
    low = -(2**63) if row.low is None else row.low
    return low, 2**63 - 1 if row.high is None else row.high


def unmet(model: ConstraintModel, values: Sequence[int]) -> str | None:
    """Return the first range or constraint that values break, in words, or None."""
    for variable, value in zip(model.variables, values, strict=True):
        if not variable.low <= value <= variable.high:
            return f"{variable.name} is {value}, outside {variable.low}..{variable.high}"
    for constraint in model.constraints:
        if not _met(constraint, values):
            return f"{type(constraint).__name__} of {_about(model, constraint)}"
    return None


def _met(constraint: Constraint, values: Sequence[int]) -> bool:
    match constraint:
        case Linear(terms, low, high, when):
            total = _sum(terms, values)
            inside = (low is None or low <= total) and (high is None or total <= high)
            return inside or not all(_holds(one, values) for one in when)
        case Clause(literals):
            return any(_holds(one, values) for one in literals)
        case All(literals, when):
            held = all(_holds(one, values) for one in literals)
            return held or not all(_holds(one, values) for one in when)
        case ExactlyOne(literals):
            return sum(_holds(one, values) for one in literals) == 1
        case Maximum(terms, variables):
            return _sum(terms, values) == max(values[one] for one in variables)
        case Cumulative(tasks, capacity):
            return _fits(tasks, capacity, values)


def _fits(tasks: tuple[Task, ...], capacity: int, values: Sequence[int]) -> bool:
    """Return True if tasks end when they should, and share the capacity at each of their starts."""
    spans = []
    for task in tasks:
        if task.present is not None and not _holds(task.present, values):
            continue
        start, length, end = values[task.start], values[task.length], values[task.end]
        if start + length != end or length < 0:
            return False
        units = task.units if task.variable is None else values[task.variable]
        spans.append((start, end, units))
    return all(
        sum(units for start, end, units in spans if start <= moment < end) <= capacity
        for moment, _, _ in spans
    )


def _sum(terms: tuple[tuple[int, int], ...], values: Sequence[int]) -> int:
    return sum(factor * values[variable] for variable, factor in terms)


def _holds(literal: int, values: Sequence[int]) -> bool:
    return values[literal] == 1 if literal >= 0 else values[~literal] == 0


def _about(model: ConstraintModel, constraint: Constraint) -> str:
    """Return the names of the first variables of a constraint."""
    match constraint:
        case Linear(terms) | Maximum(terms):
            used = [variable for variable, _ in terms]
        case Clause(literals) | All(literals) | ExactlyOne(literals):
            used = [one if one >= 0 else ~one for one in literals]
        case Cumulative(tasks):
            used = [task.start for task in tasks]
    shown = ", ".join(model.names[one] for one in used[:3])
    return f"{shown}, .." if len(used) > 3 else shown
