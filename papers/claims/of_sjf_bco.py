"""What the paper on SJF-BCO (arXiv 2207.07817) claims."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..mobihoc.paper_numbers import FIGURES, READING, Point, claims
from .claim import ClaimVerdict, Decider, MeasuredParts, PaperClaim, Ruled
from .deciders import (
    ByExample,
    ByNumber,
    ByRun,
    BySentence,
    ByTest,
    ByTheorem,
    Reproduced,
    Undecided,
)

PAPER = "SJF-BCO"

PRINTED = {"transfer": "at most 15 %", "model": "paper"}
"""The row of the models that has the paper's own conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByModels(Reproduced):
    """A conclusion from Figure 4, under the paper's conditions and under others."""

    by: str = "sensitivity"
    conclusion: str

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the paper's own conditions first."""
        rows = measured.rows(self.by, "conclusions")
        if not rows:
            return self.missing
        words = {
            (row["transfer"], row["model"]): row[self.conclusion].partition(":")[0] for row in rows
        }
        printed = words[PRINTED["transfer"], PRINTED["model"]]
        if printed == "holds":
            return Ruled(ClaimVerdict.REPRODUCED, "under the paper's conditions")
        where = [key for key, word in words.items() if word == "holds"]
        transfers = list(dict.fromkeys(transfer for transfer, _ in where))
        if not where:
            return Ruled(ClaimVerdict.OPEN, f"{printed} there, and holds under none of the models")
        said = f"{printed} there; holds under {len(where)} of {len(words)} others: transfers "
        return Ruled(ClaimVerdict.ELSEWHERE, said + ", ".join(transfers))


def told() -> Iterator[PaperClaim]:
    """Yield its theorems, algorithms, orders and numbers."""
    for says, place, decider in (*THEOREMS, *ALGORITHMS, *ORDERS):
        yield PaperClaim(paper=PAPER, says=says, place=place, decider=decider)
    for one in claims():
        decider = ByModels(conclusion=str(one))
        yield PaperClaim(paper=PAPER, says=str(one), place="Figure 4", decider=decider)
    for figure, points in FIGURES.items():
        for point, numbers in points.items():
            yield from _numbers(figure, point, numbers)


AXES = {
    4: ("policy",),
    5: ("kappa",),
    6: ("servers", "policy"),
    7: ("lambda",),
}
"""What a point of a figure names."""


def _numbers(figure: int, point: Point, numbers: tuple[int, int | None]) -> Iterator[PaperClaim]:
    """Yield the makespan of a point, and its mean completion where the paper has it."""
    at = dict(zip(AXES[figure], point, strict=True))
    named = ", ".join(point if figure == 4 else [f"{head} {cell}" for head, cell in at.items()])
    for column, paper in zip(("makespan", "mean completion"), numbers, strict=True):
        if paper is not None:
            yield PaperClaim(
                paper=PAPER,
                says=f"{named}: {column} {paper}",
                place=f"Figure {figure}",
                decider=ByNumber(
                    by="mobihoc",
                    part=f"figure-{figure}",
                    at=at,
                    column=column,
                    paper=paper,
                    slack=READING,
                ),
            )


FALSE, ELSEWHERE = ClaimVerdict.FALSE, ClaimVerdict.ELSEWHERE
PAGE = "campaigns/guarantees.md"

THEOREMS: tuple[tuple[str, str, Decider], ...] = (
    (
        "no polynomial algorithm is within O(log n_g / 2^sqrt(log log n_g))",
        "Theorem 1",
        Undecided(
            why="a family of instances on which every listed policy is bad was not made",
            verdict=ClaimVerdict.OPEN,
        ),
    ),
    (
        "the largest load is the least feasible limit",
        "Lemma 2",
        ByTest(
            test="policies/test_sjf_bco.py::test_the_least_feasible_limit_is_the_largest_load",
            why="a run is the same with its own largest load as the limit",
        ),
    ),
    (
        "the least feasible limit is within phi u/l of the least of any assignment",
        "Lemma 4",
        ByTest(
            test="policies/test_sjf_bco.py::test_the_counterexample_to_theorem_5_ends_at_7",
            why="hand-theorem5: no limit below 7 is feasible, and loads of 6 are possible",
            verdict=FALSE,
        ),
    ),
    (
        "the makespan is at most n_g times the largest load: by estimates",
        "Lemma 3",
        ByExample(page=PAGE, prints="promised 33 and it takes 51", verdict=FALSE),
    ),
    (
        "the makespan is at most n_g times the largest load: in the order of assignment",
        "Lemma 3",
        ByExample(page=PAGE, prints="largest load 2, makespan 10", verdict=FALSE),
    ),
    (
        "the makespan is at most n_g phi u/l times the least",
        "Theorem 5",
        ByRun(instance="hand-theorem5", method="sjf-bco", theorem="theorem-5"),
    ),
    (
        "the makespan is at most n_g phi u/l times the least, where rings have two GPUs or more",
        "Theorem 5",
        ByTheorem(
            theorem="ascending",
            verdict=ELSEWHERE,
            about="where no limit binds it follows from a theorem without n_g",
        ),
    ),
    (
        "the running time is O(n_g |J| N log N log T)",
        "Section 5",
        Undecided(why="steps were not counted", verdict=ClaimVerdict.OPEN),
    ),
)

ALGORITHMS: tuple[tuple[str, str, Decider], ...] = (
    (
        "the time of an iteration by placement and neighbours",
        "Equation (8)",
        ByTest(
            test="simulation/test_iteration.py::test_iteration_times_of_the_specification",
            why="by hand: 0.010, 0.0137 and 0.0182 s, as engine and judge have it",
        ),
    ),
    (
        "Algorithm 1, its comparison after a break as printed, ends with a schedule",
        "Algorithm 1",
        ByTest(
            test="policies/test_sjf_bco.py::test_the_printed_comparison_walks_away_from_the_schedules",
            why="what was broken off ends early, so limits only fall; no schedule is left",
            verdict=FALSE,
        ),
    ),
    (
        "one job alone takes 295 s, four that share servers 675 s each",
        "Introduction",
        Undecided(
            why="the cluster and the model that were measured have to be known; "
            "what a share of 1 and no degradation give depends on both"
        ),
    ),
)

ORDERS: tuple[tuple[str, str, Decider], ...] = tuple(
    (
        says,
        place,
        BySentence(by="mobihoc", begins=f"{place}, least makespan first", stands="the same order"),
    )
    for says, place in (
        ("makespans: SJF-BCO < LS < FF < RAND", "Figure 4"),
        ("makespans by kappa: least at 8", "Figure 5"),
        ("makespans by lambda: 8 < 4 < 2 < 1", "Figure 7"),
    )
) + tuple(
    (
        f"makespans on {servers} servers: SJF-BCO < LS < FF < RAND",
        "Figure 6",
        BySentence(
            by="mobihoc",
            begins=f"Figure 6 servers {servers}, least makespan first",
            stands="the same order",
        ),
    )
    for servers in (10, 15, 20)
)
