"""Which engine is first, on hand-made tables of times."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from ringyard.analysis.stats.cases import Case, Common
from ringyard.engines.choice import Ranking, headline
from ringyard.engines.compared import EngineRuns
from ringyard.engines.report import recorded
from ringyard.engines.verdicts import code_of, maker

LIMIT_S = 100.0


def ranked(times: Mapping[str, Sequence[float | None]], families: str = "") -> Ranking:
    """Return engines with one time for each instance, None for a failure.

    `families` has a letter for each instance.
    """
    (count,) = {len(some) for some in times.values()}
    cases = tuple(Case(f"i{i}", None, 0, 0) for i in range(count))
    runs: dict[str, tuple[dict[str, Any], ...]] = {
        name: tuple(
            {
                "instance": f"i{i}.program",
                "method": name,
                "seed": 0,
                "status": "unknown" if one is None else "optimal",
                "seconds": one,
                "time_limit": LIMIT_S,
            }
            for i, one in enumerate(some)
        )
        for name, some in times.items()
    }
    limits = (LIMIT_S,) * count
    common = Common(cases=cases, runs=runs, limits=limits, left_out=0, best={}, bounds={})
    letters = families or "a" * count
    return Ranking(common, [(letter, f"i{i}", f"i{i}") for i, letter in enumerate(letters)])


def test_six_instances_tell_two_engines_apart_and_five_do_not() -> None:
    """All differences have one sign: p is 2 / 2^6 = 0.031, and 2 / 2^5 = 0.0625."""
    six = ranked({"slow": [3.0] * 6, "quick": [1.0] * 6})
    assert headline(six) == "quick first, 100% solved, 1.00 s in the mean (95 %: 1.00 to 1.00)"
    five = ranked({"slow": [3.0] * 5, "quick": [1.0] * 5})
    assert headline(five) == "quick and slow are not told apart, 1.00 to 3.00 s"


def test_nobody_is_first_without_another_or_without_a_solution() -> None:
    assert headline(ranked({"only": [1.0] * 6})).startswith("only alone, 100% solved")
    assert headline(ranked({"one": [None] * 6, "other": [None] * 6})) == "none is solved"


def test_holm_counts_all_pairs() -> None:
    """Two of three pairs differ on all instances: 3 * 2 / 2^6 = 0.094, and 3 * 2 / 2^8 = 0.023."""
    times = {"quick": 1.0, "near": 1.04, "slow": 3.0}
    six = ranked({name: [one] * 6 for name, one in times.items()})
    assert headline(six) == "quick, near and slow are not told apart, 1.00 to 3.00 s"
    eight = ranked({name: [one] * 8 for name, one in times.items()})
    assert headline(eight) == "quick and near are not told apart, 1.00 to 1.04 s"
    assert eight.apart("slow", "near")


@pytest.mark.parametrize(
    ("one", "other", "wins"),
    [
        (1.0, 1.04, 0),  # 0.04 s
        (1.0, 1.09, 0),  # 9 %
        (0.1, 0.14, 0),  # 40 %, but 0.04 s
        (1.0, 1.2, 1),
        (1.0, None, 1),  # the limit
    ],
)
def test_only_clear_differences_count(one: float, other: float | None, wins: int) -> None:
    found = ranked({"one": [one], "other": [other]})
    assert (found.wins("one", "other"), found.wins("other", "one")) == (wins, 0)


def test_a_family_of_many_instances_weighs_no_more_than_another() -> None:
    """Means of ln(1 + t): (ln 2 + ln 101) / 2 is more than (ln 2.2 + ln 2) / 2.

    The test is of instances, of which 20 in 21 favour the engine with the larger mean. So it does
    not tell that engine apart, and neither is first.
    """
    times = {"often": [*[1.0] * 20, None], "rarely": [*[1.2] * 20, 1.0]}
    found = ranked(times, "a" * 20 + "b")
    assert [one.engine for one in found.means] == ["rarely", "often"]
    assert found.wins("often", "rarely") == 20
    assert [one.solved for one in found.means] == [1.0, 0.5]
    assert not found.apart("often", "rarely")
    assert "not told apart" in headline(found)
    # In a family of their own, the 20 decide.
    alone = ranked({name: some[:20] for name, some in times.items()})
    assert headline(alone).startswith("often first")


def test_one_code_with_two_settings_is_one_code() -> None:
    codes = {
        "HiGHS": ["highs", "highs-simplex", "highs-ipm", "highs-pdlp", "cvxpy-highs"],
        "SCIP": ["scip", "scip-no-presolve"],
        "CP-SAT": ["cp-sat", "cp-sat-x2"],
    }
    for code, engines in codes.items():
        assert {maker(name) for name in engines} == {code}
    assert len({maker(name) for name in ("pdlp", "cvxpy-scs", "glop", "highs-pdlp")}) == 4


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("SCIP", "SCIP"),
        ("highs-ipm", "HiGHS"),
        ("Clarabel", "Clarabel"),
        ("SCIPY", "SCIPY"),
        (None, "mine.py:SCIPY_MILP"),
    ],
)
def test_a_solver_of_ones_own_names_its_code(named: str | None, code: str) -> None:
    own = {"source": "d", "solver_code": named, "solver": "mine.py:SCIPY_MILP"}
    assert code_of(own | {"method": "mine.py:SCIPY_MILP:presolve=off"}) == code
    ours = {"source": None, "solver_code": None, "solver": "scip", "method": "scip"}
    assert code_of(ours) == "SCIP"


def test_a_contradicted_answer_is_confirmed_by_a_record_of_its_program_only() -> None:
    """`small-03x2.disjunctive.h6` is in instances/found/ for HiGHS 1.15.1."""

    def row(key: str, solver: str, version: str, program: str) -> dict[str, str]:
        return {"key": key, "solver": solver, "solver_version": version, "instance": program}

    program = "small-03x2.disjunctive.h6"
    rows = (
        row("shown", "highs", "1.15.1", program),
        row("other version", "highs", "1.16.0", program),
        row("other solver", "scip", "1.15.1", program),
        row("other program", "highs", "1.15.1", "small-03x2.disjunctive.h7"),
        row("not contradicted", "highs", "1.15.1", program),
    )
    runs = EngineRuns(cast(Any, rows), {})
    keys = {one["key"] for one in rows[:4]}
    assert recorded(runs, keys) == recorded(runs, {"shown"}) == 1
    assert recorded(runs, {"other solver"}) == 0
