"""The programs of the corpus: their names, and their optima, certified, claimed or open.

`index.json` and `hard.json` hold a line for each program, and `history.jsonl` what became known.
`ringyard corpus learn` fills them. Values belong to the program, which is always minimised.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ...families.method import CorpusProgram
from ...families.registry import FAMILIES
from ...instances.errors import InputError, unknown
from .history import Certificate, HistoryLine, close, history, known_of

RELAXED = "relaxed"

HORIZON = "h"


def special_programs() -> dict[str, CorpusProgram]:
    """Return the programs of all families that are no formulations, by name."""
    return {one.name: one for family in FAMILIES.values() for one in family.corpus}


def letter_of(program: str) -> str:
    """Return the letter before the number of a program, or an empty text."""
    special = special_programs().get(program)
    return HORIZON if special is None else special.letter


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRecipe:
    """A recipe of a program: the instance, the maker, the number, relaxed or not.

    A name is ``INSTANCE.PROGRAM``, then perhaps a letter with a number (``h12``: twelve slots as
    horizon), then perhaps ``relaxed``: no variable has to be an integer.
    """

    instance: str
    program: str
    number: int | None = None
    relaxed: bool = False

    @property
    def name(self) -> str:
        """The name of the program."""
        letter = letter_of(self.program)
        number = [] if self.number is None else [f"{letter}{self.number}"]
        return ".".join([self.instance, self.program, *number, *[RELAXED][: self.relaxed]])


def recipe_of(name: str) -> ProgramRecipe:
    """Return the recipe that a name says.

    Raises:
        InputError: If the name is no recipe.
    """
    instance, *words = name.split(".")
    program, *words = words or [""]
    letter, number = letter_of(program), None
    if words and letter and words[0][:1] == letter and words[0][1:].isdecimal():
        number = int(words.pop(0)[1:])
    relaxed = words[-1:] == [RELAXED]
    found = ProgramRecipe(instance=instance, program=program, number=number, relaxed=relaxed)
    if not program or found.name != name:
        expected = "INSTANCE.PROGRAM, with .h12 or another number, and .relaxed, if any"
        advice = "see `ringyard corpus`"
        raise InputError.of("corpus", "program", name, expected, advice)
    return found


HERE = Path(__file__).parent
INDEX, POINTS = HERE / "index.json", HERE / "points.json.gz"

Class = Literal["LP", "ip", "MILP", "NL", "conic"]
Difficulty = Literal["easy", "hard", "open", "untried"]
Tier = Literal["standard", "hard"]

INDICES: dict[Tier, Path] = {"standard": INDEX, "hard": HERE / "hard.json"}
"""The programs that solvers have seconds for, and larger or more difficult ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverClaim:
    """The claims of a solver within the limit. Only its points are proved."""

    solver: str
    version: str
    termination: str
    status: str
    seconds: float
    """Approximate, because other work ran at the same time."""
    value: float | None = None
    bound: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEntry:
    """A program of the corpus: its size and form, and the knowledge of its optimum."""

    name: str
    family: str
    kind: Class
    """LP, NL, conic, or with integers: ip if all columns are whole and bounded and numbers simple
    fractions, MILP else."""
    columns: int
    rows: int
    nonzeros: int
    integers: int
    smallest: float
    """The smallest coefficient of the rows, by size, that is not 0."""
    largest: float
    digest: str
    value: float | None = None
    """Of the best point known."""
    miss: float = 0.0
    """By which part of its largest number that point misses a row at most, in fractions."""
    source: str = ""
    """The solver that found that point, or `catalogue` for the schedule on record."""
    bound: float | None = None
    """A lower bound that is certified, rounded down."""
    certificate: Certificate = ""
    """Of the bound: duals summed in fractions, or a certified bound on the instance, which the
    program states exactly. With neither value nor bound, `judge` says that no schedule ends by the
    program's horizon."""
    proofs: tuple[str, ...] = ()
    """Further solvers that claim the best value to be optimal, or that there is no point."""
    limit_s: float = 0.0
    """The seconds that each solver of the claims had."""
    claims: tuple[SolverClaim, ...] = ()
    tier: Tier = "standard"

    @property
    def recipe(self) -> ProgramRecipe:
        """The recipe of the program."""
        return recipe_of(self.name)

    @property
    def density(self) -> float:
        """Nonzeros as a part of all places of the matrix."""
        return self.nonzeros / max(1, self.columns * self.rows)

    @property
    def infeasible(self) -> bool:
        """True if it has no point, as far as is known."""
        return self.value is None and (bool(self.provers) or self.certified)

    @property
    def provers(self) -> tuple[str, ...]:
        """The solvers that claim the best value to be optimal, or that there is no point."""
        asked = (claim.solver for claim in self.claims if self._settled(claim))
        return tuple(dict.fromkeys((*asked, *self.proofs)))

    @property
    def claimed(self) -> float | None:
        """The best bound that a solver claims and the best value does not refute."""
        bounds = [claim.bound for claim in self.claims if claim.bound is not None]
        known = self.value
        return max((b for b in bounds if known is None or not beyond(b, known)), default=None)

    @property
    def certified(self) -> bool:
        """True if its optimum, or its infeasibility, is certified."""
        if self.value is None:
            return self.certificate == "judge" and self.bound is None
        return self.bound is not None and close(self.bound, self.value)

    @property
    def optimum(self) -> str:
        """Evidence for the optimum: `certified`, `claimed by highs and scip`, or `open`."""
        if self.certified:
            return "certified"
        named, more = self.provers[:2], len(self.provers) - 2
        words = f"{', '.join(named)} and {more} more" if more > 0 else " and ".join(named)
        return f"claimed by {words}" if named else "open"

    @property
    def difficulty(self) -> Difficulty:
        """Easy if every solver tried settles it within the limit, open if no solver does."""
        if self.claims and all(map(self._settled, self.claims)):
            return "easy"
        if self.certified or self.provers:
            return "hard"
        return "open" if self.claims else "untried"

    @property
    def wrong(self) -> tuple[str, ...]:
        """The solvers whose bound lies beyond the best value, or that deny its point."""
        denied = self.value is not None
        return tuple(
            claim.solver
            for claim in self.claims
            if (denied and claim.status == "infeasible")
            or (denied and claim.bound is not None and beyond(claim.bound, self.value or 0.0))
        )

    def _settled(self, claim: SolverClaim) -> bool:
        if self.value is None:
            return claim.status == "infeasible"
        same = claim.value is not None and close(claim.value, self.value)
        return claim.status == "optimal" and same


def beyond(bound: float, value: float) -> bool:
    """Return True if a lower bound lies above a value."""
    return bound > value and not close(bound, value)


@cache
def corpus(tier: Tier = "standard") -> dict[str, CorpusEntry]:
    """Return the programs of a tier by name."""
    return read_index(INDICES[tier].read_text(encoding="utf-8"), tier, history())


def read_index(
    text: str, tier: Tier, lines: Mapping[str, Iterable[HistoryLine]]
) -> dict[str, CorpusEntry]:
    """Return the programs of a tier by name, from the text of its index and the history."""
    found = (entry_of({**row, "tier": tier}) for row in json.loads(text)["programs"])
    return {one.name: with_history(one, lines.get(one.name, ())) for one in found}


def with_history(entry: CorpusEntry, lines: Iterable[HistoryLine]) -> CorpusEntry:
    """Return an entry with what the lines about this very program say."""
    known = known_of(line for line in lines if entry.digest.startswith(line.digest))
    return replace(entry, **known._asdict())


def entry_of(row: dict[str, Any]) -> CorpusEntry:
    """Return the entry of a line. Claims are lists in the order of the fields of `SolverClaim`."""
    names = [field.name for field in fields(SolverClaim)]
    claims = tuple(
        SolverClaim(**dict(zip(names, one, strict=True))) for one in row.get("claims", ())
    )
    proofs = tuple(row.get("proofs", ()))
    return CorpusEntry(**{**row, "claims": claims, "proofs": proofs})


def row_of(entry: CorpusEntry) -> dict[str, Any]:
    """Return the line of an entry."""
    plain = {field.name: getattr(entry, field.name) for field in fields(CorpusEntry)}
    return {**plain, "claims": [list(asdict(claim).values()) for claim in entry.claims]}


def find_entry(name: str) -> CorpusEntry:
    """Return an entry by name."""
    known = corpus() | corpus("hard")
    if name not in known:
        hint = "see `ringyard corpus`"
        raise InputError("--program", [unknown("program", name, known, hint)])
    return known[name]


@cache
def _points() -> dict[str, tuple[list[int], list[float]]]:
    import gzip

    found: dict[str, Any] = json.loads(gzip.decompress(POINTS.read_bytes()))
    return found


def best_point(name: str) -> dict[int, float] | None:
    """Return the best point on record, by column and without zeros, if it is stored."""
    stored = _points().get(name)
    return None if stored is None else dict(zip(*stored, strict=True))
