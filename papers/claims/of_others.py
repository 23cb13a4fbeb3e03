"""What the other systems claim: codes, shuffling, MLfabric, ONES, Launchpad, federated learning."""

from collections.abc import Iterator

from .claim import ClaimVerdict, Decider, PaperClaim
from .deciders import BySentence, ByTest, Undecided

OPEN, ELSEWHERE = ClaimVerdict.OPEN, ClaimVerdict.ELSEWHERE

METHODS, LIMITS = "policies/coded/test_coded_methods.py", "analysis/coded/test_coded_limits.py"
SHUFFLING = "analysis/shuffling/test_shuffling.py"


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
        ByTest(test=f"{METHODS}::test_values_of_the_paper", why="to all digits, n = 10 and 100"),
        True,
    ),
    (
        "the best time is beta/(mu n), with 1 - 1/beta of n parts",
        "Section III",
        ByTest(test=f"{LIMITS}::test_the_limit_of_the_paper", why="approached from above"),
        True,
    ),
    (
        "codes gain a factor of order log n",
        "abstract",
        ByTest(
            test=f"{LIMITS}::test_uncoded_parts_lose_a_logarithm_at_most",
            why="ln n / beta for shifted exponential times; other laws gain otherwise",
        ),
        False,
    ),
    (
        "any k of n coded results give the product",
        "Section III",
        ByTest(
            test="analysis/coded/test_coded_trials.py::"
            "test_real_vandermonde_codes_lose_all_digits_and_others_do_not",
            why="in exact numbers; in floating point Vandermonde codes lose all digits from some "
            "tens of parts on, others do not",
            verdict=ELSEWHERE,
        ),
        True,
    ),
)

SHUFFLE: tuple[Told, ...] = (
    (
        "the number of coded messages",
        "Theorem",
        ByTest(
            test=f"{SHUFFLING}::test_the_closed_form_is_the_sum_over_sets",
            why="the closed form is the sum over sets, in fractions",
        ),
        True,
    ),
    (
        "coding gains (alpha + 1/n) gamma(n)",
        "Theorem",
        ByTest(
            test=f"{SHUFFLING}::test_the_published_ratio_is_right_in_the_limit_only",
            why="right as n alpha grows without end; 3.25, not 3, for n = 10, alpha = 0.2",
            verdict=ELSEWHERE,
        ),
        False,
    ),
    (
        "every worker works out its rows from the sums",
        "algorithm",
        ByTest(
            test=f"{SHUFFLING}::test_every_scheme_is_decoded_bit_by_bit",
            why="if queues are padded to the longest; that costs more the fewer rows there are",
            verdict=ELSEWHERE,
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

ONES: tuple[Told, ...] = (
    (
        "26.9 % less than a learned scheduler, 45.6 % than Tiresias, 41.7 % than Optimus",
        "experiments",
        Undecided(why="the experiment on 64 GPUs was not made", verdict=OPEN),
        True,
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
                test="campaigns/graph/test_graph_runs.py::"
                "test_a_graph_gives_the_rows_of_the_plain_campaign",
                why="graphs of campaigns: the same rows as without a graph",
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
            Undecided(
                why="regions say where jobs may run; federated averaging with partial "
                "participation is not modelled",
                verdict=OPEN,
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
