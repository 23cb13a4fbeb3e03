"""What the papers on BOA (arXiv 2406.15560 and 2602.01404) claim."""

from collections.abc import Iterator

from .claim import ClaimVerdict, Decider, PaperClaim
from .deciders import ByAll, ByColumns, BySentence, ByTest, Undecided

THEORY, SYSTEM = "BOA, theory", "BOA Constrictor"


def told() -> Iterator[PaperClaim]:
    """Yield what the theory proves and draws, and what the system's abstract says."""
    for says, place, decider in THEORY_CLAIMS:
        yield PaperClaim(paper=THEORY, says=says, place=place, decider=decider)
    for says, place, decider in SYSTEM_CLAIMS:
        yield PaperClaim(paper=SYSTEM, says=says, place=place, decider=decider)


THEORY_CLAIMS: tuple[tuple[str, str, Decider], ...] = (
    (
        "no policy that keeps to the budget has a lower mean than fixed widths",
        "Theorem 1",
        BySentence(by="boa", begins="hunt", stands="none of"),
    ),
    (
        "for any laws of arrivals and sizes",
        "Theorem 1",
        ByAll(
            by="boa", part="long-run", column="mean JCT, h: within", word="yes", names=("arrivals",)
        ),
    ),
    (
        "it is enough that s(k)/k never rises",
        "assumptions",
        ByTest(
            test="campaigns/test_boa.py::test_one_width_loses_with_steps_and_the_printed_program_more",
            why="two widths in turn beat any single one; speed-ups have to be concave",
            verdict=ClaimVerdict.FALSE,
        ),
    ),
    (
        "the program can be written as a convex one",
        "Section 3",
        ByTest(
            test="policies/rental/test_rental_dual.py::test_the_example_is_its_closed_form",
            why="in GPU-hours for an hour of work it is convex; the dual meets closed forms",
        ),
    ),
    (
        "widths and means of the two types",
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
        "means with whole widths, one type split or none",
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

SYSTEM_CLAIMS: tuple[tuple[str, str, Decider], ...] = (
    (
        "1.6 times lower mean completion time at equal budget, in a small implementation",
        "abstract",
        Undecided(
            why="its code is public: a fork of AdaptDL, 3 applications of Pollux' first workload, "
            "nodes of 4 GPUs, 4 at most; budget, rivals, their settings and the profiles of the "
            "reported run have to be known"
        ),
    ),
    (
        "2 times lower mean completion time at equal budget, in a large simulation",
        "abstract",
        Undecided(
            why="a fork of Sia's simulator is public, with Pollux' workloads, Sia and Gavel beside "
            "fixed widths; which of them are the rivals, at which budgets, for how many jobs, and "
            "what a change of GPUs costs there have to be known"
        ),
    ),
    (
        "widths by epoch with one price for all are best",
        "code",
        ByTest(
            test="campaigns/test_boa.py::test_no_method_is_below_the_program_for_its_own_spend",
            why="epochs are classes of the same program, whose value no run is below",
        ),
    ),
    (
        "the budget is kept on average",
        "abstract",
        ByTest(
            test="campaigns/test_verify_rented.py::test_paths_are_within_what_ticks_allow",
            why="if GPUs come at once, one by one and by the tick; terms of renting cost more",
            verdict=ClaimVerdict.ELSEWHERE,
        ),
    ),
)
