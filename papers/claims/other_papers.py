"""Claims of other papers: BOA, codes, shuffling, MLfabric, ONES, Gavel, and others.

The papers on BOA are arXiv 2406.15560 and 2602.01404.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from ...analysis.coded import limit_of
from ..coded import LAW
from ..ones import ABOUT_CONFIRMED, PAPER_LESS
from .deciders import (
    ByBounds,
    ByFormula,
    ByLimit,
    ByNumber,
    ByRange,
    OnlyElsewhere,
    ReproducedElsewhere,
)
from .measured import MeasuredParts, span
from .verdicts import ByBoth, ByTest, ClaimVerdict, StatedClaim, by_test, undecided

UNTRIED = ClaimVerdict.UNTRIED


HEAVY = {"sizes": "pareto"}
"""Their variance is infinite, so that their intervals are too narrow."""

PROVED = "proved in theory/boa, Theorem 1"
"""The proof of a theorem that runs confirm."""

THEORY: tuple[StatedClaim, ...] = (
    (
        "with concave speed-ups, no policy that keeps to the budget has a lower mean than fixed "
        "widths",
        "Theorem 1",
        ByRange(
            by="boa",
            part="hunt",
            but={"jobs": "with steps, real widths"},
            columns={f"least ratio of: {one} policies": (1, inf) for one in ("first", "best")},
            names=("jobs",),
            exact=True,
            about=PROVED,
        ),
    ),
    (
        "at fixed widths the mean is the program's, for any laws of arrivals and sizes",
        "Theorem 1",
        ByFormula(
            by="boa",
            part="long-run",
            but=HEAVY,
            formula="mean JCT, h: program",
            measured="mean JCT, h: measured",
            names=("arrivals", "sizes"),
            about=f"{PROVED}: its steps name no law. At fixed widths, times depend on sizes alone",
        ),
    ),
    by_test(
        "it is enough that s(k)/k never rises",
        "assumptions",
        test="campaigns/test_boa.py::test_one_width_loses_though_speed_per_gpu_never_rises",
        why="speeds 1, 1.1 and 2.1 on 1, 2 and 4 GPUs, linear between: an hour of work takes "
        "0.909 h with the best width for 1.82 GPU-hours, and 0.526 h with 1 and 4 GPUs in turn. "
        "Speed-ups have to be concave",
        verdict=ClaimVerdict.FALSE,
    ),
    by_test(
        "with concave speed-ups, the program can be written as a convex one",
        "Section 3",
        test="policies/rental/test_rental_dual.py::test_the_example_is_its_closed_form",
        why="shown in theory/boa: in GPU-hours for an hour of work it is convex. The dual meets "
        "closed forms",
    ),
    (
        "fixed widths of the program keep the budget on average, if GPUs come at once and one by "
        "one",
        "Theorem 1",
        ByFormula(
            by="boa",
            part="long-run",
            but=HEAVY,
            formula="GPUs paid for: budget",
            measured="GPUs paid for: measured",
            names=("arrivals", "sizes"),
            about="on simulated arrivals",
        ),
    ),
    undecided(
        "GPUs and mean JCT of two job types",
        "Figure 1",
        missing="numbers read off the figure. Those in studies/boa are worked out from formulas",
        verdict=UNTRIED,
    ),
)


SYSTEM: tuple[StatedClaim, ...] = (
    undecided(
        "1.6 and 2 times lower mean completion time at equal budget, small and large",
        "abstract",
        missing="its budgets and rivals, which the abstract does not name",
        verdict=UNTRIED,
    ),
    undecided(
        "it keeps to its budget on average",
        "abstract",
        missing="a run of its system, a public fork of AdaptDL. For fixed widths see BOA, theory",
        verdict=UNTRIED,
    ),
)


def _simulated(formula: str, measured: str) -> ByFormula:
    """Return the decider of an expected time that was also simulated."""
    return ByFormula(
        by="coded", part="times", formula=formula, measured=measured, names=("workers",)
    )


CODED: tuple[StatedClaim, ...] = (
    (
        "expected times without codes, and with the best one",
        "Section III (recalled)",
        ByBoth(
            first=_simulated("uncoded, s", "uncoded, simulated, s"),
            second=_simulated("coded, s", "simulated, s"),
        ),
    ),
    (
        "as workers become many, n times the best time tends to beta/mu, with 1 - 1/beta of n "
        "parts",
        "Section III (recalled)",
        ByLimit(
            by="coded",
            part="times",
            columns={"n x coded": limit_of(LAW).scaled_s, "parts": limit_of(LAW).parts},
            over={"parts": "workers"},
            about="proved in theory/reserved-coded-shuffle",
        ),
    ),
    (
        "codes gain a factor of order log n",
        "abstract",
        ByBounds(
            by="coded",
            part="times",
            bounds={"gain": "at most"},
            order=True,
            about="(1 + 1/n)(mu d + H_n)/beta, which is proved in theory/reserved-coded-shuffle "
            "and grows as log n",
        ),
    ),
    (
        "any k of n coded results give the product",
        "Section III (recalled)",
        ByTest(
            test="analysis/coded/test_coded_trials.py::test_any_k_of_n_parts_give_the_product",
            why="in exact numbers. In floating point it depends on the code: see studies/coded",
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByQuotient(ByRange):
    """Sampled columns over another one, which is computed."""

    over: str

    def found(self, measured: MeasuredParts) -> list[dict[str, str]]:
        """Return the rows with quotients, to three decimals."""
        rows = ByRange.found(self, measured)
        return [row | {one: self._quotient(row, one) for one in self.columns} for row in rows]

    def _quotient(self, row: Mapping[str, str], column: str) -> str:
        mean, low, high = (one / float(row[self.over]) for one in span(row[column])[:3])
        return f"{mean:.3f} ({low:.3f} to {high:.3f})"


SHUFFLE: tuple[StatedClaim, ...] = (
    (
        "the number of coded messages, if every set sends as many as its mean queue is long",
        "Theorem (recalled)",
        ByFormula(
            by="shuffle",
            part="messages",
            formula="coded: formula",
            measured="coded: measured",
            names=("n", "q"),
        ),
    ),
    (
        "as workers become many, coding gains (alpha + 1/n) gamma(n), at alpha = 0.2",
        "Theorem",
        ByLimit(
            by="shuffle",
            part="ratios",
            columns={"published / exact": 1.0},
            close=0.002,
            about="the gain by the closed form for mean queues, with 5 to 1000 workers",
        ),
    ),
    (
        "the number of messages that are sent, as many as a set's longest queue is long: within "
        "5 % of this",
        "algorithm (recalled)",
        ByQuotient(
            by="shuffle",
            part="messages",
            columns={"padded: measured": (1, 1.05)},
            over="coded: formula",
            names=("n", "q"),
            conditions=True,
            about="the paper's numbers of workers and rows are not known, and its lengths are "
            "expectations, as for q without end",
        ),
    ),
)


def _faster(part: str, column: str) -> ByNumber:
    """Return the decider of the largest gain, which the paper gives as a whole number."""
    return ByNumber(by="mlfabric", part=part, column=column, paper=3, slack=WHOLE)


WHOLE = 0.5
"""How far a number may be from one that is given as a whole number."""


ORDERS = "policies/transfers/test_transfers_order.py"

MLFABRIC: tuple[StatedClaim, ...] = (
    (
        f"training is up to 3 times faster, within {WHOLE:g}: the transfers alone",
        "abstract (other jobs)",
        ReproducedElsewhere(
            by="mlfabric",
            first=_faster("together", "over MLfabric: fair sharing"),
            there=_faster("aggregation", "over order and groups: fair sharing"),
            under="with groups and equal sizes alone",
        ),
    ),
    (
        "shortest transfers first are best within a bound on staleness",
        "ordering (recalled)",
        ByBoth(
            first=ByTest(
                test=f"{ORDERS}::test_shortest_first_is_not_best_within_a_bound_on_staleness",
                why="updates of 8, 2, 6 and 9 GB on one link, to be applied first, third, third "
                "and second at the latest: means of 52.5 s with the shortest first, 33.5 s if it "
                "keeps to these positions by drops, and 32.5 s is possible, if a dropped update "
                "counts as 100 s",
                verdict=ClaimVerdict.FALSE,
                premise="What it counts in the paper is not recalled",
            ),
            second=ByTest(
                test=f"{ORDERS}::test_orders_are_best_where_their_theorems_speak",
                why="proved in theory/transfers-bounds for one link where no position and no due "
                "time binds and a drop costs at least the last end",
                verdict=ClaimVerdict.ELSEWHERE,
            ),
        ),
    ),
    undecided(
        "bounded divergence keeps convergence",
        "theory (recalled)",
        missing="runs with bounded divergence: those of studies/mlfabric bound staleness",
        verdict=UNTRIED,
    ),
)


def _ones_less(other: str, less: float, part: str) -> ByNumber:
    """Return the decider of by how many per cent less it is."""
    return ByNumber(
        by="ones",
        part=part,
        at={"order": f"ONES before {other}"},
        column="here, % less",
        paper=less,
        slack=0.05,
        less=True,
        side="lower",
    )


ONES: tuple[StatedClaim, ...] = (
    undecided(
        "mean completion time 26.9 % less than a learned scheduler's",
        "experiments (recalled)",
        missing="the trained network of that scheduler",
    ),
    *(
        (
            f"mean completion time {less:g} % lower than for {other}",
            "experiments (recalled; other jobs)",
            OnlyElsewhere(
                unlike="only the abstract was at hand, so load, restarts and rounds are ours",
                there=ReproducedElsewhere(
                    by="ones",
                    first=_ones_less(other, less, "orders"),
                    there=_ones_less(other, less, "confirmed"),
                    under=f"at {ABOUT_CONFIRMED} (found by a search, other seeds)",
                ),
            ),
        )
        for other, less in PAPER_LESS.items()
    ),
    by_test(
        "an evolving population of plans",
        "algorithm (recalled)",
        test="policies/trace/test_ones.py::"
        "test_the_fittest_plan_never_gets_worse_and_is_the_best_in_the_end",
        why="the fittest plan never gets worse, and on tiny tasks it ends as the best of all",
    ),
)

ABSTRACT = "abstract (recalled; other jobs)"

GAVEL: tuple[StatedClaim, ...] = (
    *(
        (
            f"{policy} ends jobs sooner on average if it knows how fast they are on each kind",
            ABSTRACT,
            OnlyElsewhere(
                unlike="a third of its GPUs, shorter traces, and restarts that take time in 5 rows",
                there=ByRange(
                    by="gavel",
                    part="known",
                    at={"policy": policy},
                    columns={"mean JCT": (1, inf)},
                    names=("workload",),
                ),
            ),
        )
        for policy in ("LAS", "fairness", "FIFO")
    ),
    undecided(
        "the makespan is 1.4 times as long if the policy does not know the kinds",
        ABSTRACT,
        missing="the rival: of those in Gavel's notebook on makespans, the ratio to Gandiva with "
        "space sharing is 1.4. For the same policy with kinds alike see studies/gavel",
        verdict=UNTRIED,
    ),
    undecided(
        "mean completion times are up to 3.5 times as long",
        ABSTRACT,
        missing="traces as long as in the paper, near the load that the cluster can carry. On "
        "1,000 jobs at 5.5 jobs/h the ratio is 1.56: see studies/gavel",
        verdict=UNTRIED,
    ),
    undecided(
        "a cluster sustains a higher load if the policy knows the kinds",
        ABSTRACT,
        missing="the loads from which on jobs pile up. That LAS which knows the kinds ends jobs "
        "sooner at 5 jobs/h than LAS which does not at 4 jobs/h, by studies/gavel, is no limit",
        verdict=UNTRIED,
    ),
    by_test(
        "LAS, finish-time fairness and makespan have linear programs of one form",
        "Section 4 (recalled)",
        test="formulations/trace/test_shares.py::"
        "test_the_least_level_is_the_optimum_of_the_plain_statement",
        why="one program with another need for each, and a level that is searched where ages "
        "enter. SciPy finds its optimum in a plain statement. `benchmarks/public_gavel.py "
        "--programs` compares it with the programs of Gavel's code",
    ),
)

OTHERS: dict[str, tuple[StatedClaim, ...]] = {
    "Launchpad": tuple(
        undecided(
            says,
            f"{place} (recalled)",
            missing="a run of Launchpad, of which no package for Python 3.11 was found",
            verdict=UNTRIED,
        )
        for says, place in (
            ("a program is a graph of typed nodes that any launcher runs", "model"),
            ("edges are handles by which nodes communicate, resolved at launch", "model"),
            ("little code and little cost for communication", "experience"),
        )
    ),
    "federated learning, survey": (
        (
            "fewer clients a round: quicker rounds, and more of them",
            "partial participation (recalled; other jobs)",
            ByRange(
                by="federated",
                part="participation",
                at={"cluster": "as it is"},
                columns={
                    "rounds over all clients'": (1, inf),
                    "s a round over all clients'": (0, 1),
                },
                names=("share, %",),
                about="on the first of four clusters of studies/federated, `as it is`. Rounds do "
                "not depend on the cluster",
            ),
        ),
    ),
}

BOA_CLAIMS = {"BOA, theory": THEORY, "BOA Constrictor": SYSTEM}

SYSTEM_CLAIMS = {
    "coded computation": CODED,
    "coded shuffling": SHUFFLE,
    "MLfabric": MLFABRIC,
    "ONES": ONES,
    "Gavel": GAVEL,
    **OTHERS,
}
