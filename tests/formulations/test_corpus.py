"""The corpus: names, digests, points and bounds on record, and prices in fractions."""

import zlib
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

from ringyard.families import FAMILIES
from ringyard.formulations.conic import ConicProgram
from ringyard.formulations.corpus.build import DIGITS, build, build_any, digest_of, states_schedules
from ringyard.formulations.corpus.exact import priced, priced_in_cones
from ringyard.formulations.corpus.history import CLOSE, HistoryLine, best_point_line
from ringyard.formulations.corpus.index import (
    CorpusEntry,
    SolverClaim,
    best_point,
    beyond,
    corpus,
    entry_of,
    find_entry,
    recipe_of,
    row_of,
    special_programs,
)
from ringyard.formulations.program import Matrix, Nonlinear
from ringyard.instances import InputError, RefusedError
from ringyard.instances.catalogue import entries

NAMES = sorted(corpus())
SMALL = [name for name in NAMES if corpus()[name].nonzeros <= 1_500]
SOME = [name for name in SMALL if zlib.crc32(name.encode()) % 8 == 0]
"""One in eight, chosen by nothing that is known of them."""

HARD_AND_SMALL = ("mobihoc-10-s0.load-limit.h669", "transfers@workers=150,seed=0.order")

MOST = 12_000
"""Programs with more nonzeros are rebuilt by `python benchmarks/corpus.py verify` alone."""


def agrees(name: str) -> None:
    """Hold what is on record of a program against the program, made anew."""
    entry = corpus()[name]
    program = build_any(entry.recipe)
    assert digest_of(program) == entry.digest
    known = best_point(name)
    if known is None:
        return
    values = {j: Fraction(x) for j, x in known.items()}
    if isinstance(program, ConicProgram):
        found = priced_in_cones(program, values)
    else:
        found = priced(program, values)
    assert found.holds(Fraction(1, 10**6))
    # Numbers of cones and speeds of rented GPUs are powers, whose last digits depend on the
    # processor, as in the digest.
    powers = isinstance(program, ConicProgram) or name.startswith("rental-")
    digits = 10.0**-DIGITS if powers else 0.0
    assert float(found.value) == pytest.approx(entry.value, rel=digits, abs=0)
    assert float(found.worst.amount) == pytest.approx(entry.miss, rel=digits, abs=digits)


@pytest.mark.parametrize(
    "name",
    [
        name if name in SOME else pytest.param(name, marks=pytest.mark.slow)
        for name in NAMES
        if corpus()[name].nonzeros <= MOST
    ],
)
def test_a_program_made_anew_is_the_one_on_record(name: str) -> None:
    agrees(name)


def test_names_say_how_programs_are_made() -> None:
    assert [recipe_of(name).name for name in NAMES] == NAMES
    assert {recipe_of(name).instance for name in NAMES} <= set(entries())
    hard = list(corpus("hard"))
    assert [recipe_of(name).name for name in hard] == hard


def test_the_hard_tier_is_of_many_families_and_has_programs_of_its_own() -> None:
    hard = corpus("hard")
    assert not hard.keys() & corpus().keys()
    assert max(Counter(one.family for one in hard.values()).values()) <= 0.4 * len(hard)
    assert max(Counter(one.recipe.program for one in hard.values()).values()) <= 15


@pytest.mark.parametrize(
    "name",
    [
        "rental-power@types=400,seed=0.cones",
        *(pytest.param(one, marks=pytest.mark.slow) for one in HARD_AND_SMALL),
    ],
)
def test_a_program_of_the_hard_tier_is_the_one_on_record(name: str) -> None:
    entry = find_entry(name)
    assert (entry.tier, digest_of(build_any(entry.recipe))) == ("hard", entry.digest)


@pytest.mark.parametrize(
    "name", ["", "small-06x3", "a.linearised.12", "a.slot.h3", "a.b.relaxed.h2"]
)
def test_a_name_that_says_nothing_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"INSTANCE\.PROGRAM"):
        recipe_of(name)


LISTS = {"master"}
"""Formulations whose columns are finished schedules: a solver would only look for the least."""


def test_every_formulation_of_every_family_is_there() -> None:
    known = {one.name for family in FAMILIES.values() for one in family.programs}
    used = {recipe_of(name).program for name in NAMES}
    assert (known - LISTS) | set(special_programs()) <= used
    assert not LISTS & used
    assert {corpus()[name].kind for name in NAMES} == {"LP", "ip", "MILP", "NL", "conic"}
    assert len(NAMES) >= 200


def test_what_only_a_search_proved_is_not_certified() -> None:
    # The checker cannot try all that branch and bound tried here; 11 is by area.
    assert entries()["small-16x6"].lower[0].certificate == "searched"
    program = corpus()["small-16x6.linearised.h12"]
    assert (program.value, program.bound, program.certified) == (12, 11, False)


def test_no_certified_bound_is_above_a_point() -> None:
    for entry in corpus().values():
        if entry.value is not None and entry.bound is not None:
            assert not beyond(entry.bound, entry.value), entry.name


def test_bounds_of_the_judge_are_those_of_the_catalogue() -> None:
    for entry in corpus().values():
        if entry.certificate != "judge":
            continue
        assert states_schedules(entry.recipe)
        known = entries()[entry.recipe.instance]
        lowest = known.lower[0].value
        if entry.bound is None:
            assert entry.recipe.number is not None
            assert entry.recipe.number < lowest
        else:
            sign = -1 if entry.family == "online" else 1
            assert entry.bound <= sign * lowest + Fraction(1, 10**12)


def test_rows_of_the_index_come_back() -> None:
    for entry in corpus().values():
        assert entry_of(row_of(entry)) == entry


BASE = CorpusEntry(
    name="hand-contend.linearised.h7",
    family="makespan",
    kind="MILP",
    columns=2,
    rows=2,
    nonzeros=3,
    integers=1,
    smallest=1,
    largest=2,
    digest="",
    value=7.0,
)


def claim(solver: str, left: str, value: float | None, bound: float | None) -> SolverClaim:
    return SolverClaim(
        solver=solver,
        version="1",
        termination="done",
        status=left,
        seconds=0,
        value=value,
        bound=bound,
    )


RIGHT, OTHER = claim("highs", "optimal", 7, 7), claim("scip", "optimal", 7, 7)
EARLY = claim("scip", "feasible", 8, 5)


@pytest.mark.parametrize(
    ("bound", "claims", "optimum", "difficulty"),
    [
        (7.0, (RIGHT, OTHER), "certified", "easy"),
        (7.0, (EARLY,), "certified", "hard"),
        (6.0, (RIGHT, OTHER), "claimed by highs and scip", "easy"),
        (6.0, (RIGHT, EARLY), "claimed by highs", "hard"),
        (6.0, (EARLY,), "open", "open"),
        (None, (), "open", "untried"),
    ],
)
def test_what_is_certified_is_told_from_what_is_claimed(
    bound: float | None, claims: tuple[SolverClaim, ...], optimum: str, difficulty: str
) -> None:
    entry = entry_of(row_of(BASE) | {"bound": bound})
    found = entry_of(row_of(entry) | {"claims": [list(row) for row in map(values, claims)]})
    assert (found.optimum, found.difficulty) == (optimum, difficulty)


def test_a_bound_alone_does_not_say_that_there_is_no_point() -> None:
    unknown = entry_of(row_of(BASE) | {"value": None, "bound": 7.0, "certificate": "judge"})
    none = entry_of(row_of(BASE) | {"value": None, "bound": None, "certificate": "judge"})
    assert (unknown.infeasible, unknown.certified, unknown.difficulty) == (False, False, "untried")
    assert (none.infeasible, none.certified, none.difficulty) == (True, True, "hard")


def values(one: SolverClaim) -> list[object]:
    return [one.solver, one.version, one.termination, one.status, one.seconds, one.value, one.bound]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (claim("scip", "optimal", 9, 9), ("scip",)),
        (claim("scip", "infeasible", None, None), ("scip",)),
        (claim("scip", "optimal", 7 + CLOSE, 7 + CLOSE), ()),
        (EARLY, ()),
    ],
)
def test_a_claim_that_a_point_refutes_is_wrong(said: SolverClaim, wrong: tuple[str, ...]) -> None:
    assert entry_of(row_of(BASE) | {"claims": [values(RIGHT), values(said)]}).wrong == wrong


PROGRAM = Matrix(
    columns=("x", "y"),
    rows=("sum", "ten"),
    cost=np.array([1.0, 0.5]),
    offset=2.0,
    lower=np.array([0.0, -np.inf]),
    upper=np.array([4.0, np.inf]),
    integer=np.array([True, False]),
    a=csr_array(np.array([[1.0, 1.0], [10.0, 0.0]])),
    row_lower=np.array([3.0, -np.inf]),
    row_upper=np.array([np.inf, 20.0]),
)


def test_a_point_is_priced_in_fractions() -> None:
    third = Fraction(1, 3)
    good = priced(PROGRAM, {0: Fraction(2), 1: Fraction(1)})
    assert (good.value, good.holds(), good.worst.amount) == (Fraction(9, 2), True, 0)
    bad = priced(PROGRAM, {0: 2 + third, 1: Fraction(0)})
    # Row `sum` is short by 2/3 of its side 3; row `ten` has 10/3 too much, beside 20.
    assert bad.rows == (Fraction(2, 9), "sum")
    assert bad.integers == (third, "x")
    assert bad.bounds.amount == 0
    over = priced(PROGRAM, {0: Fraction(6), 1: Fraction(-3)})
    # Row `ten` has 40 too much, beside 20; x is 2 above its bound of 4.
    assert (over.rows, over.bounds) == ((2, "ten"), (Fraction(1, 2), "x"))


def test_a_miss_that_floats_cannot_see_is_one() -> None:
    tiny = Fraction(1, 10**30)
    found = priced(PROGRAM, {0: Fraction(2), 1: 1 - tiny})
    assert not found.holds()
    assert found.rows == (tiny / 3, "sum")


def line(value: float, miss: float) -> HistoryLine:
    return HistoryLine(
        program="p", digest="", date="2026-01-01", side="point", value=value, miss=miss
    )


def test_an_exact_point_is_kept_before_one_that_gains_by_the_tolerance() -> None:
    exact, short, better = line(9, 0), line(8.999999, 1.46e-7), line(8.9, 1e-16)
    for lines in permutations([exact, short]):
        assert best_point_line(lines) == exact
    for lines in permutations([exact, better, short]):
        assert best_point_line(lines) == better
    assert best_point_line([]) is None
    # -100 and -100.0001 are not told apart.
    assert best_point_line([line(-100, 0), line(-100.0001, 1e-9)]) == line(-100, 0)


def test_the_record_of_a_program_whose_optimum_is_whole_is_whole() -> None:
    """9 slots hold exactly; 8.999999 missed a row by 1.5e-7."""
    entry = corpus()["small-06x3-floor.load-limit.h12"]
    assert (entry.value, entry.miss) == (9.0, 0.0)
    stored = best_point(entry.name)
    assert stored is not None
    found = priced(build(entry.recipe), {j: Fraction(x) for j, x in stored.items()})
    assert (found.value, found.holds()) == (9, True)


def test_nonlinear_programs_are_priced_in_fractions() -> None:
    name = "hand-contend.nonconvex.h7"
    program, known = build(corpus()[name].recipe), best_point(name)
    assert isinstance(program, Nonlinear)
    assert known is not None
    point = {j: Fraction(x) for j, x in known.items()}
    found = priced(program, point)
    assert (found.value, found.worst.amount < CLOSE) == (7, True)
    moved = program.columns.index("makespan_slots") if "makespan_slots" in program.columns else 0
    assert not priced(program, {**point, moved: Fraction(-1)}).holds(Fraction(1, 10))


def test_a_digest_sees_each_number_but_not_the_last_digits() -> None:
    from dataclasses import replace

    same = digest_of(PROGRAM)
    assert digest_of(replace(PROGRAM, cost=PROGRAM.cost * (1 + 2e-15))) == same
    for field in ("cost", "lower", "upper", "row_lower", "row_upper"):
        changed = getattr(PROGRAM, field).copy()
        changed[0] += 1.0
        changed[-1] += 1.0
        assert digest_of(replace(PROGRAM, **{field: changed})) != same, field
    assert digest_of(replace(PROGRAM, integer=~PROGRAM.integer)) != same
    assert digest_of(replace(PROGRAM, offset=3.0)) != same
    assert digest_of(replace(PROGRAM, a=PROGRAM.a * 2)) != same
    assert digest_of(replace(PROGRAM, columns=("x", "z"))) != same


def test_programs_in_cones_are_not_taken_for_others() -> None:
    with pytest.raises(RefusedError, match="program in cones"):
        build(recipe_of("boa-two-types.cones"))


def test_every_optimum_in_cones_has_two_solvers_that_agree_or_a_certificate() -> None:
    conic = [entry for entry in corpus().values() if entry.kind == "conic"]
    assert len(conic) >= 8
    for entry in conic:
        assert entry.certified or len(entry.provers) >= 2, entry.name
        values = [one.value for one in entry.claims if one.status == "optimal"]
        assert values == pytest.approx([entry.value] * len(values), rel=CLOSE)
