"""What the other systems claim: codes, shuffling, MLfabric, ONES, Launchpad, federated learning."""

from collections.abc import Iterator

from ..ones import ABOUT_CONFIRMED, PAPER_LESS
from .claim import ClaimVerdict, Decider, PaperClaim
from .deciders import ByColumns, ByNumber, BySentence, ByTest, ReproducedElsewhere, Undecided

OPEN, ELSEWHERE = ClaimVerdict.OPEN, ClaimVerdict.ELSEWHERE


def told() -> Iterator[PaperClaim]:
    """Yield the claims of each."""
    for paper, claims in CLAIMS.items():
        for says, place, decider, recalled in claims:
            yield PaperClaim(
                paper=paper, says=says, place=place, decider=decider, recalled=recalled
            )


Told = tuple[str, str, Decider, bool]
"""What is said, where, what decides it, and whether it is recalled."""

CODED: tuple[Told, ...] = (
    (
        "times with and without codes, and the best number of parts",
        "Section III",
        ByColumns(
            by="coded",
            part="times",
            columns=(
                ("known", "uncoded, s"),
                ("parts, known", "parts"),
                ("coded, known", "coded, s"),
            ),
        ),
        True,
    ),
    (
        "the best time is beta/(mu n), with 1 - 1/beta of n parts",
        "Section III",
        BySentence(by="coded", begins="n times the best time", stands="rises to beta/mu"),
        True,
    ),
    (
        "codes gain a factor of order log n",
        "abstract",
        BySentence(
            by="coded",
            begins="gain of the best code",
            stands="within its bound at all",
        ),
        False,
    ),
    (
        "any k of n coded results give the product",
        "Section III",
        BySentence(
            by="coded",
            begins="any k of n",
            stands=", with every code",
            otherwise=ELSEWHERE,
        ),
        True,
    ),
)

SHUFFLE: tuple[Told, ...] = (
    (
        "the number of coded messages",
        "Theorem",
        BySentence(by="shuffle", begins="number of coded messages", stands="at all points"),
        True,
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
        False,
    ),
    (
        "every worker works out its rows from the sums",
        "algorithm",
        BySentence(
            by="shuffle",
            begins="sums of queues padded to the longest: all rows decoded",
            stands="1.00 to 1.00 times",
            otherwise=ELSEWHERE,
        ),
        True,
    ),
)

MLFABRIC: tuple[Told, ...] = (
    (
        "training is up to 3 times faster",
        "abstract",
        BySentence(
            by="mlfabric",
            begins="the paper's abstract says up to 3 times",
            stands="measured",
            otherwise=ClaimVerdict.UNCHECKABLE,
        ),
        False,
    ),
    (
        "shortest transfers first are best within a bound on staleness",
        "ordering",
        ByTest(
            test="policies/transfers/test_transfers_order.py::"
            "test_orders_are_best_where_their_theorems_speak",
            why="on one link; late updates are dropped as by Moore and Hodgson",
        ),
        True,
    ),
    (
        "bounded divergence keeps convergence",
        "theory",
        BySentence(
            by="mlfabric",
            begins="bounded staleness keeps convergence",
            stands="with a smaller one at every bound",
        ),
        True,
    ),
)


def _ones_less(other: str, less: float, part: str, otherwise: ClaimVerdict) -> ByNumber:
    """Return what decides by how many per cent less it is."""
    return ByNumber(
        by="ones",
        part=part,
        at={"order": f"ONES before {other}"},
        column="here, % less",
        paper=less,
        slack=0.05,
        otherwise=otherwise,
    )


ONES: tuple[Told, ...] = (
    (
        "mean completion time 26.9 % less than a learned scheduler's",
        "experiments",
        Undecided(why="the scheduler, its network and what it was trained on have to be known"),
        True,
    ),
    *(
        (
            f"mean completion time less than that of {other}",
            "experiments",
            BySentence(by="ones", begins=f"as it is, ONES before {other}", stands="holds"),
            True,
        )
        for other in PAPER_LESS
    ),
    *(
        (
            f"mean completion time {less:g} % less than that of {other}",
            "experiments",
            ReproducedElsewhere(
                by="ones",
                first=_ones_less(other, less, "orders", OPEN),
                there=_ones_less(other, less, "confirmed", ClaimVerdict.UNCHECKABLE),
                under=f"at {ABOUT_CONFIRMED}",
            ),
            True,
        )
        for other, less in PAPER_LESS.items()
    ),
    (
        "an evolving population of plans with batches that grow",
        "algorithm",
        ByTest(
            test="policies/trace/test_ones.py::test_elastic_jobs_gain_by_it",
            why="the fittest plan never gets worse; elastic jobs gain",
        ),
        True,
    ),
)

OTHERS: dict[str, tuple[Told, ...]] = {
    "Launchpad": (
        (
            "a program is a graph of typed nodes that any launcher runs",
            "model",
            ByTest(
                test="campaigns/test_programs.py::"
                "test_a_killed_program_goes_on_and_ends_with_the_runs_of_one_campaign",
                why="a script of campaigns: its steps run methods, check rows or make tables, on "
                "the executor that is chosen at launch, and give the rows of one campaign",
            ),
            True,
        ),
        (
            "edges are handles by which nodes communicate, resolved at launch",
            "model",
            ByTest(
                test="campaigns/test_begins.py",
                why="a run names the runs whose best schedule it begins with, by keys that are "
                "known before anything runs; here once, there by calls",
            ),
            True,
        ),
        (
            "little code and little cost for communication",
            "experience",
            Undecided(why="its programs and clusters have to be known; services are not modelled"),
            True,
        ),
    ),
    "federated learning, survey": (
        (
            "data stay where they are, models move",
            "taxonomy",
            ByTest(
                test="regions/test_federated.py",
                why="a client trains in its region or the judge objects; only weights are sent",
            ),
            True,
        ),
        (
            "fewer clients a round: quicker rounds, and more of them",
            "partial participation",
            BySentence(
                by="federated",
                begins="as it is: fewer clients, quicker rounds and more of them",
                stands="at every step, up to",
            ),
            True,
        ),
    ),
}

CLAIMS: dict[str, tuple[Told, ...]] = {
    "coded computation": CODED,
    "coded shuffling": SHUFFLE,
    "MLfabric": MLFABRIC,
    "ONES": ONES,
    **OTHERS,
}
