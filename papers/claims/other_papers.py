"""Claims of other papers: BOA, codes, shuffling, MLfabric, ONES, Launchpad, federated learning.

The papers on BOA are arXiv 2406.15560 and 2602.01404.
"""

from ..ones import ABOUT_CONFIRMED, PAPER_LESS
from .deciders import (
    ByAll,
    ByColumns,
    ByNumber,
    BySentence,
    ClaimVerdict,
    ReproducedElsewhere,
    StatedClaim,
    by_test,
    undecided,
)

ELSEWHERE, UNTRIED = ClaimVerdict.ELSEWHERE, ClaimVerdict.UNTRIED


THEORY: tuple[StatedClaim, ...] = (
    (
        "no policy that keeps to the budget has a lower mean than fixed widths",
        "Theorem 1",
        BySentence(by="boa", begins="hunt|counterexample search", stands="none of"),
    ),
    (
        "for any laws of arrivals and sizes",
        "Theorem 1",
        ByAll(
            by="boa", part="long-run", column="mean JCT, h: within", word="yes", names=("arrivals",)
        ),
    ),
    by_test(
        "it is enough that s(k)/k never rises",
        "assumptions",
        test="campaigns/test_boa.py::test_one_width_loses_with_steps_and_the_printed_program_more",
        why="two widths in turn beat any single one. Speed-ups have to be concave",
        verdict=ClaimVerdict.FALSE,
    ),
    by_test(
        "the program can be written as a convex one",
        "Section 3",
        test="policies/rental/test_rental_dual.py::test_the_example_is_its_closed_form",
        why="in GPU-hours for an hour of work it is convex, and the dual meets closed forms",
    ),
    (
        "optimal GPUs and mean JCT of the two job types",
        "Figure 1",
        ByColumns(
            by="boa",
            part="oracle",
            columns=(
                ("GPUs of the first: known", "GPUs of the first: here"),
                ("GPUs of the second: known", "GPUs of the second: here"),
                ("mean JCT, h: known", "mean JCT, h: here"),
            ),
        ),
    ),
    (
        "mean JCT with whole widths, at most one type split",
        "Figure 1, worked out",
        ByColumns(
            by="boa",
            part="whole",
            columns=(
                ("one type split, h: known", "one type split, h: here"),
                ("none split, h: known", "none split, h: here"),
            ),
        ),
    ),
)

SYSTEM: tuple[StatedClaim, ...] = (
    undecided(
        "1.6 times lower mean completion time at equal budget, in a small implementation",
        "abstract",
        why="its code is public: a fork of AdaptDL, 3 applications of Pollux' first workload, "
        "nodes of 4 GPUs, 4 at most. Budget, rivals, their settings and the profiles of "
        "the reported run are not published",
        verdict=UNTRIED,
    ),
    undecided(
        "2 times lower mean completion time at equal budget, in a large simulation",
        "abstract",
        why="a fork of Sia's simulator is public, with Pollux' workloads, Sia, Gavel and "
        "fixed widths. The rivals, the budgets, the number of jobs and the cost of a "
        "change of GPUs are not published",
        verdict=UNTRIED,
    ),
    by_test(
        "choosing widths by epoch, with one price for all, is best",
        "code",
        test="campaigns/test_boa.py::test_no_method_is_below_the_program_for_its_own_spend",
        why="epochs are classes of the same program, and no run is below its value",
    ),
    by_test(
        "the budget is kept on average",
        "abstract",
        test="campaigns/test_verify_rented.py::test_paths_are_within_what_ticks_allow",
        why="if GPUs come at once, one by one and by the tick. Terms of renting cost more",
        verdict=ClaimVerdict.ELSEWHERE,
    ),
)

CODED: tuple[StatedClaim, ...] = (
    (
        "times with and without codes, and the best number of parts",
        "Section III (recalled)",
        ByColumns(
            by="coded",
            part="times",
            columns=(
                ("known", "uncoded, s"),
                ("parts, known", "parts"),
                ("coded, known", "coded, s"),
            ),
        ),
    ),
    (
        "the best time is beta/(mu n), with 1 - 1/beta of n parts",
        "Section III (recalled)",
        BySentence(by="coded", begins="n times the best time", stands="rises to beta/mu"),
    ),
    (
        "codes gain a factor of order log n",
        "abstract",
        BySentence(by="coded", begins="gain of the best code", stands="within its bound at all"),
    ),
    (
        "any k of n coded results give the product",
        "Section III (recalled)",
        BySentence(
            by="coded",
            begins="any k of n( results give the product)?",
            stands=", with every code",
            otherwise=ELSEWHERE,
        ),
    ),
)

SHUFFLE: tuple[StatedClaim, ...] = (
    (
        "the number of coded messages",
        "Theorem (recalled)",
        BySentence(by="shuffle", begins="number of coded messages", stands="at all points"),
    ),
    (
        "coding gains (alpha + 1/n) gamma(n)",
        "Theorem",
        BySentence(
            by="shuffle",
            begins="published ratio over the exact one",
            stands="the same;",
            otherwise=ELSEWHERE,
        ),
    ),
    (
        "every worker works out its rows from the sums",
        "algorithm (recalled)",
        BySentence(
            by="shuffle",
            begins="sums of queues padded to the longest: all rows decoded",
            stands="1.00 to 1.00 times",
            otherwise=ELSEWHERE,
        ),
    ),
)

MLFABRIC: tuple[StatedClaim, ...] = (
    (
        "training is up to 3 times faster",
        "abstract",
        BySentence(
            by="mlfabric",
            begins="the paper's abstract says up to 3 times",
            stands="measured",
            otherwise=ClaimVerdict.UNCHECKABLE,
        ),
    ),
    by_test(
        "shortest transfers first are best within a bound on staleness",
        "ordering (recalled)",
        test="policies/transfers/test_transfers_order.py::"
        "test_orders_are_best_where_their_theorems_speak",
        why="on one link, with late updates dropped as by Moore and Hodgson",
    ),
    (
        "bounded divergence keeps convergence",
        "theory (recalled)",
        BySentence(
            by="mlfabric",
            begins="bounded staleness keeps convergence",
            stands="with a smaller one at every bound",
        ),
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
    )


ONES: tuple[StatedClaim, ...] = (
    undecided(
        "mean completion time 26.9 % less than a learned scheduler's",
        "experiments (recalled)",
        why="the scheduler, its network and its training data have to be known",
    ),
    *(
        (
            f"lower mean completion time than {other}",
            "experiments (recalled)",
            BySentence(
                by="ones",
                begins=f"as it is, ONES before {other}|usual settings: ONES beats {other}",
                stands="holds",
            ),
        )
        for other in PAPER_LESS
    ),
    *(
        (
            f"mean completion time {less:g} % lower than for {other}",
            "experiments (recalled)",
            ReproducedElsewhere(
                by="ones",
                first=_ones_less(other, less, "orders"),
                there=_ones_less(other, less, "confirmed"),
                under=f"at {ABOUT_CONFIRMED}",
            ),
        )
        for other, less in PAPER_LESS.items()
    ),
    by_test(
        "an evolving population of plans with batches that grow",
        "algorithm (recalled)",
        test="policies/trace/test_ones.py::test_elastic_jobs_gain_by_it",
        why="the fittest plan never gets worse, and elastic jobs gain",
    ),
)

OTHERS: dict[str, tuple[StatedClaim, ...]] = {
    "Launchpad": tuple(
        undecided(
            says,
            f"{place} (recalled)",
            why="Launchpad was not run. Scripts of campaigns have a similar form",
            verdict=UNTRIED,
        )
        for says, place in (
            ("a program is a graph of typed nodes that any launcher runs", "model"),
            ("edges are handles by which nodes communicate, resolved at launch", "model"),
            ("little code and little cost for communication", "experience"),
        )
    ),
    "federated learning, survey": (
        by_test(
            "data stay where they are, models move",
            "taxonomy (recalled)",
            test="regions/test_federated.py",
            why="a client trains in its region or the judge objects. Only weights are sent",
        ),
        (
            "fewer clients a round: quicker rounds, and more of them",
            "partial participation (recalled)",
            BySentence(
                by="federated",
                begins="as it is: fewer clients, quicker rounds and more of them",
                stands="at every step, up to",
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
    **OTHERS,
}
