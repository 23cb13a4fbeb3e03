"""Building a program from a recipe, shuffling it, and its digest, equal on every machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...instances import RefusedError
from ...instances.catalogue import load
from ..catalogue import Formulation
from ..conic import ConicProgram
from ..matrix import matrix_of, nonlinear_of, relaxed, set_point, stated_matrix
from ..named import build_named, parts
from ..program import Floats, Matrix, Program
from .index import ProgramRecipe, special_programs


def formulation_of(recipe: ProgramRecipe) -> Formulation | None:
    """Return the formulation of a recipe, if it is one."""
    return None if recipe.program in special_programs() else parts(recipe.program)[0]


def states_schedules(recipe: ProgramRecipe) -> bool:
    """Return True if every point of the program is a schedule of its instance."""
    formulation = formulation_of(recipe)
    return formulation is not None and formulation.exact and not recipe.relaxed


def model_of(recipe: ProgramRecipe) -> Any:
    """Return the Pyomo model. Disjunctions are rows with big-M unless the name has another form.

    Raises:
        RefusedError: If the instance has no such program.
    """
    formulation, name = formulation_of(recipe), recipe.program
    if formulation is not None and (formulation.name, formulation.form) == (name, "disjunctive"):
        name = f"{name}-bigm"
    return build_named(name, load(recipe.instance), recipe.number)


def build_any(recipe: ProgramRecipe) -> Program | ConicProgram:
    """Return the program, which may be one in cones.

    Raises:
        RefusedError: If the instance has no such program.
    """
    special = special_programs().get(recipe.program)
    made: Matrix | ConicProgram
    if special is not None:
        made = special.built(load(recipe.instance), recipe.number)
    else:
        formulation, _ = parts(recipe.program)
        if formulation.form == "nonlinear":
            return nonlinear_of(model_of(recipe))
        if formulation.form == "linear":
            made = stated_matrix(load(recipe.instance), formulation, recipe.number)
        else:
            made = matrix_of(model_of(recipe))
    return relaxed(made) if recipe.relaxed and isinstance(made, Matrix) else made


def build(recipe: ProgramRecipe) -> Program:
    """Return the program.

    Raises:
        RefusedError: If the instance has no such program, or it is one in cones.
    """
    program = build_any(recipe)
    if isinstance(program, ConicProgram):
        raise RefusedError(f"{recipe.name} is a program in cones, which these solvers reject")
    return program


def schedule_of(
    recipe: ProgramRecipe, program: Program, values: Mapping[int, Fraction], model: Any = None
) -> Any:
    """Return the schedule of a point of a program, or None if its points are no schedules.

    `model` is the program's, if it is there already.
    """
    formulation = formulation_of(recipe)
    if formulation is None or not states_schedules(recipe):
        return None
    model, point = model or model_of(recipe), np.zeros(len(program.columns))
    for j, value in values.items():
        point[j] = float(value)
    set_point(model, program, point)
    return formulation.read(model)


P = TypeVar("P")


@dataclass(frozen=True)
class Shuffled(Generic[P]):
    """A program in another order, and where its columns stood."""

    program: P
    columns: NDArray[np.int64] | None
    """The old place of each column, or None without a move."""

    def back(self, point: Floats) -> Floats:
        """Return a point in the order of the program as it was."""
        if self.columns is None:
            return point
        found = np.empty_like(point)
        found[self.columns] = point
        return found


def shuffled(program: Program, seed: int) -> Shuffled[Program]:
    """Return a linear program in a random order, by seed. 0 leaves it as it is.

    A solver's path depends on the order, through ties and chance. Only several orders of one
    program show the size of this effect.

    NL text is unchanged: its solvers draw an order themselves if an option requires it.
    """
    if seed == 0 or not isinstance(program, Matrix):
        return Shuffled[Program](program, None)
    rng = np.random.default_rng(seed)
    rows, columns = (rng.permutation(size) for size in program.a.shape)
    moved = program.with_rows(rows).with_columns(columns)
    return Shuffled[Program](replace(moved, a=moved.a.sorted_indices()), columns)


def shuffled_cones(program: ConicProgram, seed: int) -> Shuffled[ConicProgram]:
    """Return a program in cones with its columns in such an order. Rows stay in their cones."""
    if seed == 0:
        return Shuffled(program, None)
    columns = np.random.default_rng(seed).permutation(len(program.columns))
    names = tuple(program.columns[j] for j in columns.tolist())
    moved = replace(program, columns=names, cost=program.cost[columns], a=program.a[:, columns])
    return Shuffled(moved, columns)


DIGITS = 12
"""Digits of numbers that the digest sees: the last ones may differ between machines."""


def digest_of(program: Program | ConicProgram) -> str:
    """Return a digest of a program, of its numbers to `DIGITS` digits.

    Of NL text, it sees the words without comments.
    """
    sums = sha256()
    if isinstance(program, ConicProgram):
        lines = _conic_lines(program)
    else:
        lines = _lines(program) if isinstance(program, Matrix) else _nl_lines(program.nl)
    for line in lines:
        sums.update(line.encode() + b"\n")
    return sums.hexdigest()


def _lines(matrix: Matrix) -> Iterator[str]:
    yield from ("\n".join(names) for names in (matrix.columns, matrix.rows))
    yield _digits(np.array([matrix.offset]))
    for values in (matrix.cost, matrix.lower, matrix.upper, matrix.row_lower, matrix.row_upper):
        yield _digits(values)
    yield "".join("1" if whole else "0" for whole in matrix.integer.tolist())
    yield from _sparse(matrix.a)


def _conic_lines(program: ConicProgram) -> Iterator[str]:
    yield from ("\n".join(names) for names in (program.columns, program.rows))
    yield " ".join(f"{cone.sort} {cone.size} {cone.exponent}" for cone in program.cones)
    yield from map(_digits, (np.array([program.offset]), program.cost, program.b))
    yield from _sparse(program.a)


def _sparse(given: Any) -> Iterator[str]:
    a = given.copy()
    a.sum_duplicates()
    a.eliminate_zeros()
    a.sort_indices()
    yield " ".join(map(str, a.indptr.tolist()))
    yield " ".join(map(str, a.indices.tolist()))
    yield _digits(a.data)


def _digits(values: Floats) -> str:
    return " ".join(f"{value + 0.0:.{DIGITS}g}" for value in values.tolist())


def _nl_lines(nl: bytes) -> Iterator[str]:
    for line in nl.decode("ascii").splitlines():
        yield " ".join(_word(word) for word in line.split("#")[0].split())


def _word(word: str) -> str:
    head, number = (word[0], word[1:]) if word[0] == "n" else ("", word)
    try:
        return f"{head}{float(number):.{DIGITS}g}"
    except ValueError:
        return word
