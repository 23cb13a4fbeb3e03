"""Claims of the paper on SJF-BCO (arXiv 2207.07817)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..mobihoc.conditions import CONFIRMED
from ..mobihoc.figures import MEASURES, READING, Point, claims
from ..mobihoc.figures import PAPER as FIGURES
from .deciders import (
    NEAREST_SETTING,
    OTHERWISE,
    RERUN,
    SETTING,
    ByNumber,
    ByRange,
    ByRun,
    ByTheorem,
    OnlyElsewhere,
    Reproduced,
    ReproducedElsewhere,
    compared,
    elsewhere,
)
from .measured import CLEAR, MeasuredParts, span
from .verdicts import ByBoth, ClaimVerdict, Decider, Ruled, StatedClaim, by_test, undecided

DIFFERS, ELSEWHERE, FALSE = ClaimVerdict.DIFFERS, ClaimVerdict.ELSEWHERE, ClaimVerdict.FALSE
NO_POWER = ClaimVerdict.NO_POWER

REGION = "sjf-bco-region"

OWN = "other jobs"
"""The paper's draws are not published, so its jobs are drawn anew from its ranges."""

UNDER = f"with {CONFIRMED.about} (found by a search, other seeds)"
"""The place of the point that was rechecked with other seeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRankings(Reproduced):
    """Orders by the intervals of their ratios: below 1, or not above it where `<=`."""

    by: str = "sjf-bco-orders"
    part: str = "rankings"
    orders: tuple[str, ...]
    """Their names in the table."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Name the orders that do not hold."""
        # Pages that were measured earlier have the head `order`.
        rows = measured.rows(self.by, self.part)
        found = {row.get("ranking") or row["order"]: row["here"] for row in rows}
        if not found:
            return self.missing
        tells = {
            f"{name.partition(': ')[2]} {found[name]}": span(found[name]).beside(
                0, 1 + CLEAR if "<=" in name else 1
            )
            for name in self.orders
        }
        lost = [
            f"{name} ({'open' if one is None else 'equal or reversed'})"
            for name, one in tells.items()
            if not one
        ]
        if not lost:
            return Ruled(ClaimVerdict.REPRODUCED, f"here {', '.join(tells)}")
        return Ruled(DIFFERS if False in tells.values() else NO_POWER, f"not {', '.join(lost)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BySearch(Reproduced):
    """A claim that fails under the usual conditions and may hold under other ones.

    The paper leaves some of its conditions open, such as alpha and the order of jobs.
    """

    by: str = REGION
    first: Decider
    """Decides by the usual conditions: those of the paper as far as it states them."""

    def command(self) -> str:
        """Return the commands of the regenerated figure and of the search."""
        return f"{self.first.command()}, {Reproduced.command(self)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByOrders(BySearch):
    """Orders that hold under the paper's conditions, or else at one point of the search."""

    orders: tuple[str, ...]
    """Their names in the search."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the paper's conditions first, and then at the point.

        Single draws of the search are shown and decide nothing: among many, chance has all orders.
        """
        first = self.first.ruled(measured)
        there = ByRankings(by=self.by, part="confirmed", orders=self.orders).ruled(measured)
        if first.verdict not in OTHERWISE or there == self.missing:
            return first
        why = f"{first.why}; {UNDER} {there.why.removeprefix('here ')}"
        if there.verdict is ClaimVerdict.REPRODUCED:
            return elsewhere(first, there, why, known=False)
        figure = self.orders[0].removeprefix("Figure ").partition(":")[0]
        (row,) = (row for row in measured.rows(self.by, "figures") if row["figures"] == figure)
        why += f", and all of Figure {figure} on {row['draws']} of {row['of draws']} single draws"
        if row["draws"] != "0":
            why += f", such as {row['the first']}, which chance may do"
        return elsewhere(first, there, why, known=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNumbers(BySearch):
    """A number of a figure: as regenerated, or at points that were rerun with other seeds."""

    figure: int
    at: str
    measure: str
    paper: float
    slack: float

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the paper's conditions first, then at the point, and at the nearest one."""
        found = self.first.ruled(measured)
        rows = measured.rows(self.by, "numbers")
        if found.verdict not in OTHERWISE or not rows:
            return found
        wanted = str(self.figure), self.at, self.measure
        (row,) = (r for r in rows if (r["figure"], r["at"], r["measure"]) == wanted)
        if RERUN not in row:
            return self.missing
        sampled = measured.sampled(self.by, "numbers")
        nearest = f"{NEAREST_SETTING} {row[SETTING]} (conditions of studies/{self.by}),"
        for column, under in (("confirmed", UNDER), (RERUN, nearest)):
            there = compared(row[column], sampled, self.paper, self.slack)
            why = f"{found.why}; {under} {there.why.removeprefix('here ')}"
            found = elsewhere(found, there, why, known=False)
            if found.verdict not in OTHERWISE:
                break
        return found


PRINTED = {"transfer": "at most 15 %", "model": "paper"}
"""The row of the models that has the paper's own conditions."""


def by_models(conclusion: str) -> Decider:
    """Return the decider of a conclusion of Figure 4, by the paper's model and by other ones."""
    printed, every = (
        ByRange(
            by="sensitivity",
            part="conclusions",
            at=at,
            but=but,
            columns={conclusion: (0, 1)},
            names=("transfer", "model"),
            conditions=True,
        )
        for at, but in ((PRINTED, {}), ({}, PRINTED))
    )
    return ReproducedElsewhere(
        by="sensitivity", first=printed, there=every, under="under other models", known=False
    )


AXES = {4: ("policy",), 5: ("kappa",), 6: ("servers", "policy"), 7: ("lambda",)}
"""The labels of a point, by figure."""


def _of_figure_4() -> Iterator[StatedClaim]:
    """Yield claims that policies are better than other policies."""
    for one in claims():
        about = ", completion" if one.measure != "makespan" else ""
        orders = (f"Figure 4: {one.better} < {one.worse}{about}",)
        decider = ByOrders(first=by_models(str(one)), orders=orders)
        yield str(one), f"Figure 4 ({OWN})", decider


def _of_numbers() -> Iterator[StatedClaim]:
    """Yield the makespan of each point, and its mean completion where the paper has it.

    The points of Figure 6 at 20 servers are those of Figure 4, and count once.
    """
    for figure, points in FIGURES.items():
        for point, numbers in points.items():
            if figure == 6 and point[0] == "20":
                continue
            at = zip(AXES[figure], point, strict=True)
            shown = point if figure == 4 else [f"{head} {cell}" for head, cell in at]
            for column, paper in zip(MEASURES, numbers, strict=True):
                if paper is not None:
                    says = f"{', '.join(shown)}: {column} {paper}"
                    place = f"Figure {figure} ({OWN})"
                    yield says, place, _of_number(figure, point, column, paper)


SAME_RUNS: dict[tuple[int, Point], str] = {
    (5, ("1",)): f"the runs of lambda 1, for which Figure 7 has {FIGURES[7]['1',][0]}",
    (5, ("8",)): "the runs of kappa 10, so the same interval also reproduces the paper's "
    f"{FIGURES[5]['10',][0]} there",
    (5, ("10",)): "the runs of kappa 8, so the same interval also reproduces the paper's "
    f"{FIGURES[5]['8',][0]} there",
    (7, ("1",)): f"the runs of kappa 1, for which Figure 5 has {FIGURES[5]['1',][0]}",
}
"""Points with the runs of another point, by tests/policies/test_sjf_bco.py."""


def _of_number(figure: int, point: Point, column: str, paper: float) -> Decider:
    """Return the decider of a number, by the search too unless it leaves the point out."""
    at, part = dict(zip(AXES[figure], point, strict=True)), f"figure-{figure}"
    first = ByNumber(
        by="mobihoc",
        part=part,
        at=at,
        column=column,
        paper=paper,
        slack=READING,
        about=SAME_RUNS.get((figure, point), ""),
    )
    if (figure, point) == (5, ("10",)):
        return first  # The search represents it by kappa 8, which gives the same schedules.
    return ByNumbers(
        first=first,
        figure=figure,
        at=" ".join(point),
        measure=column,
        paper=paper,
        slack=READING,
    )


ARGUMENT = "sjf-bco-argument"

HARD = "policies/test_hardness.py"

THEOREMS: tuple[StatedClaim, ...] = (
    by_test(
        "no polynomial algorithm is within O(log n_g / 2^sqrt(log log n_g))",
        "Theorem 1",
        test=f"{HARD}::test_a_schedule_shorter_than_twice_the_best_splits_numbers_into_halves",
        why="missing: whether any algorithm has a constant factor on unequal servers. On equal "
        "ones it cannot hold: the theorem whole-servers proves a factor below 10/3, and only "
        "factors below 2 are shown to be out of reach, unless P = NP",
        verdict=ClaimVerdict.UNCHECKABLE,
    ),
    by_test(
        "the largest load is the least feasible limit",
        "Lemma 2",
        test="policies/test_sjf_bco.py::test_the_least_feasible_limit_is_the_largest_load",
        why="rerunning with the run's own largest load as the limit gives the same schedule",
    ),
    by_test(
        "the least feasible limit is within phi u/l of the least of any assignment",
        "Lemma 4",
        test="policies/test_sjf_bco.py::test_the_least_feasible_limit_exceeds_the_least_load",
        why="hand-theorem5: no limit below 7 is feasible, loads of 6 are possible, "
        "and phi u/l is 1",
        verdict=FALSE,
    ),
    by_test(
        "the makespan is at most n_g times the largest load",
        "Lemma 3",
        test="policies/test_sjf_bco.py::test_the_largest_load_times_the_widest_ring_is_exceeded",
        why="by estimated loads, 51 slots where 33 are promised",
        verdict=FALSE,
    ),
    by_test(
        "no makespan is below the least limit of any assignment",
        "(14)-(16)",
        test="formulations/test_load_limit.py::test_no_limit_exceeds_the_optimum",
        why="jobs that share a GPU take turns, so its load is at most the makespan. Compared with "
        "all schedules of random instances",
    ),
    by_test(
        "a choice among all schedules of the cluster, the same for all jobs, restates the problem",
        "(10)-(13)",
        test="formulations/test_master.py::"
        "test_the_optimum_is_that_of_enumeration_and_the_relaxation_is_no_more",
        why="all schedules listed: the program `master` has the optimum of enumeration",
    ),
    (
        "the makespan is at most n_g phi u/l times the least",
        "Theorem 5",
        ByBoth(
            first=ByRun(instance="hand-theorem5", method="sjf-bco", theorem="theorem-5"),
            second=ByTheorem(
                theorem="ascending",
                verdict=ELSEWHERE,
                about="where some ring has two GPUs or more and no limit binds, it follows from a "
                "theorem of theory/guarantees without n_g, which is on four schedulers",
            ),
        ),
    ),
    by_test(
        "the running time is O(n_g |J| N log N log T)",
        "Section 5",
        test=f"{HARD}::test_sjf_bco_looks_for_gpus_twice_for_each_job",
        why="proved in theory/sjf-bco, without the simulation of contention. Counts with 20 to 80 "
        "jobs keep each step of the proof",
    ),
)


ALGORITHMS: tuple[StatedClaim, ...] = (
    by_test(
        "the time of an iteration by placement and neighbours, for xi_1 p of at least 1",
        "Equation (8)",
        test="simulation/test_iteration.py::test_iteration_times_of_the_specification",
        why="by hand: 0.010, 0.0137 and 0.0182 s. Below 1 a ring would be faster than alone, which "
        "theory/sjf-bco departs from",
    ),
    by_test(
        "Algorithm 1, its comparison after a break as printed, ends with a schedule",
        "Algorithm 1",
        test="policies/test_sjf_bco.py::test_the_printed_comparison_walks_away_from_the_schedules",
        why="a run that was broken off ends early, so limits only fall until no schedule is left",
        verdict=FALSE,
    ),
    undecided(
        "one job alone takes 295 s, four that share servers 675 s each",
        "Introduction",
        missing="the transfer time of the example. One that gives both times can be solved for",
    ),
)

TENTH: StatedClaim = by_test(
    "makespans by kappa: 8 < 10",
    f"Figure 5 ({OWN})",
    test="policies/test_sjf_bco.py::test_no_option_tells_kappa_8_from_10_on_the_papers_mix",
    why="equal: no job of the paper's mix has 9 or 10 GPUs, and a threshold counts by the jobs "
    "up to it. So no draw gives both numbers of the paper, 535 and 700",
    verdict=DIFFERS,
)

IN_TURN = ("SJF-BCO < LS", "LS < FF", "FF < RAND")


def _order(says: str, place: str, names: Sequence[str]) -> StatedClaim:
    orders = tuple(f"{place}: {name}" for name in names)
    return says, f"{place} ({OWN})", ByOrders(first=ByRankings(orders=orders), orders=orders)


ORDERS: tuple[StatedClaim, ...] = (
    _order(
        "makespans by kappa: 8 <= 4 < 2 < 1, and 1 below 16 and 32",
        "Figure 5",
        ("8 <= 4", "8 < 2", "4 < 2", "2 < 1", "1 < 16", "1 < 32"),
    ),
    TENTH,
    _order("makespans by lambda: 8 < 4 < 2 < 1", "Figure 7", ("8 < 4", "4 < 2", "2 < 1")),
    *(
        _order(
            f"makespans on {servers} servers: SJF-BCO < LS < FF < RAND",
            "Figure 6",
            [f"{servers} {name.replace('< ', f'< {servers} ')}" for name in IN_TURN],
        )
        for servers in (10, 15)
    ),
    _order("SJF-BCO before RAND (mean completion)", "Figure 4", ("SJF-BCO < RAND, completion",)),
)

OTHER_SHARES = "xi_1 is xi_2 there, of unknown size, and not here"
"""How our runs differ from the paper's experiments, in all figures."""


def _of_figures() -> Iterator[StatedClaim]:
    """Yield the claims of all figures."""
    for says, place, decider in (*ORDERS, *_of_figure_4(), *_of_numbers()):
        by_runs = isinstance(decider, Reproduced)
        yield says, place, OnlyElsewhere(there=decider, unlike=OTHER_SHARES) if by_runs else decider


SJF_BCO_CLAIMS = {"SJF-BCO": (*THEOREMS, *ALGORITHMS, *_of_figures())}
