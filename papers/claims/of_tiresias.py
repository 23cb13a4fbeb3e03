"""What the paper on Tiresias (NSDI 2019) claims, and those that it compares with."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..tiresias.numbers import OVER_SRSF, TESTBED, TESTBED_RATIOS, TRACE
from .claim import ClaimVerdict, Decider, MeasuredParts, PaperClaim, Ruled
from .deciders import (
    ByColumns,
    ByNumber,
    BySentence,
    ByTest,
    Reproduced,
    Undecided,
    agrees,
    matching,
)

PAPER = "Tiresias"
MEASURES = ("mean", "median", "95th percentile")
OPEN, UNCHECKABLE = ClaimVerdict.OPEN, ClaimVerdict.UNCHECKABLE

READ = 0.005
"""Ratios are printed with two decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRatio(Reproduced):
    """A ratio to Tiresias-L: on the mix as it is, else where all directions were looked for."""

    by: str = "tiresias"
    at: tuple[str, str, str]
    """Jobs, policy, measure."""
    paper: float | None = None
    """The number; None if only the direction is claimed."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the mix as it is first."""
        at = dict(zip(("jobs", "policy", "measure"), self.at, strict=True))
        first = matching(measured.rows(self.by, "directions"), at)
        if not first:
            return self.missing
        if self._stands(first[0]):
            return Ruled(ClaimVerdict.REPRODUCED, f"here {first[0]['here']}")
        there = matching(measured.rows("tiresias-region", "confirmed"), at)
        said = f"here {first[0]['here']}"
        if there:
            said += f"; idle GPUs offered, threshold 14400: {there[0]['here']}"
        if there and self._stands(there[0]):
            return Ruled(ClaimVerdict.ELSEWHERE, said)
        if self.paper is not None and self.at[0] == "trace":
            return Ruled(UNCHECKABLE, f"the paper's trace has to be known; {said}")
        return Ruled(OPEN, said)

    def _stands(self, row: dict[str, str]) -> bool:
        if self.paper is None:
            return row["direction"] == "holds"
        return agrees(row["here"], self.paper, READ)


def told() -> Iterator[PaperClaim]:
    """Yield directions, ratios, numbers in seconds, the example and the algorithms."""
    for at, ratio in _ratios():
        side = "the same as" if abs(ratio - 1) <= 0.05 else "above" if ratio > 1 else "below"
        jobs, policy, measure = at
        place = "testbed" if jobs == "testbed" else "trace simulation"
        about = f"{jobs}, {policy}, {measure}"
        says = f"{about}: {side} Tiresias-L"
        yield PaperClaim(paper=PAPER, says=says, place=place, decider=ByRatio(at=at))
        says = f"{about}: {ratio:.2f} times Tiresias-L"
        yield PaperClaim(paper=PAPER, says=says, place=place, decider=ByRatio(at=at, paper=ratio))
    for says, place, decider in (*SECONDS, *OTHERS, *SYSTEMS):
        yield PaperClaim(paper=PAPER, says=says, place=place, decider=decider)


def _ratios() -> Iterator[tuple[tuple[str, str, str], float]]:
    """Yield every ratio of the paper, and of what."""
    for jobs, policies in (("testbed", TESTBED_RATIOS), ("trace", TRACE)):
        for policy, ratios in policies.items():
            for measure, ratio in zip(MEASURES, ratios, strict=False):
                yield (jobs, policy, measure), ratio
    for measure, column in (("makespan", "makespan_s"), ("waiting", "mean_waiting_s")):
        ratio = TESTBED["YARN-CS"][column] / TESTBED["Tiresias-L"][column]
        yield ("testbed", "YARN-CS", measure), ratio


HEADS = {"makespan_s": "makespan", "mean_waiting_s": "waiting", "preemptions": "stops"}

SECONDS: tuple[tuple[str, str, Decider], ...] = tuple(
    (
        f"testbed, {policy}, {HEADS[column]}: {number:g}",
        "testbed",
        ByNumber(
            by="tiresias",
            part="testbed",
            at={"policy": policy},
            column=HEADS[column],
            paper=number,
            slack=0.05 * number,
            otherwise=UNCHECKABLE,
            because="the law of durations has to be known",
        ),
    )
    for policy, numbers in TESTBED.items()
    for column, number in numbers.items()
)

OTHERS: tuple[tuple[str, str, Decider], ...] = (
    (
        f"trace: mean of SRTF over SRSF {OVER_SRSF['SRTF']}",
        "trace simulation",
        BySentence(
            by="tiresias",
            begins="trace: mean of SRTF over SRSF",
            stands="(1.03 to",
        ),
    ),
    (
        "3 queues gain 1 % over 2",
        "sensitivity",
        ByNumber(
            by="tiresias",
            part="options",
            at={"option": "3 queues"},
            column="trace",
            paper=0.99,
            slack=READ,
        ),
    ),
    (
        "a threshold of an hour is as good as a longer one",
        "sensitivity",
        Undecided(
            why="on the testbed's mix 2 hours gain 18 % over 1 hour: the table of options",
            verdict=OPEN,
        ),
    ),
    (
        "placement by profile gains up to 1.67 times",
        "testbed",
        Undecided(why="speeds of the models over several servers have to be measured on GPUs"),
    ),
    (
        "the worked example: mean completion times 9.3, 10.0, 11.7",
        "example and slides",
        ByColumns(by="tiresias-example", part="schedules", columns=(("the paper's", "mean"),)),
    ),
    (
        "the picture of the index in the slides is that of the formula",
        "slides",
        ByColumns(
            by="tiresias-example",
            part="index",
            columns=(("drawn in the slides", "as defined"),),
            otherwise=ClaimVerdict.FALSE,
        ),
    ),
    (
        "with the law of lengths known, the Gittins index is best on average",
        "2D-Gittins",
        ByTest(
            test="policies/trace/test_gittins_is_best.py::test_nobody_who_knows_the_law_does_better",
            why="against all policies, where every job takes all GPUs",
        ),
    ),
    (
        "the released simulator's runs",
        "simulator",
        ByTest(
            test="policies/trace/test_public_simulator.py",
            why="its rules, written again: job by job the same ends",
        ),
    ),
)

SYSTEMS: tuple[tuple[str, str, Decider], ...] = (
    (
        "Optimus: curves of loss and speed are learned, GPUs go where an epoch gains most",
        "Optimus",
        ByTest(
            test="policies/trace/test_optimus.py",
            why="exact curves are found again, allocations by hand come out",
        ),
    ),
    (
        "Optimus: 139 % better in completion time and 63 % in makespan than other schedulers",
        "Optimus, abstract (recalled)",
        Undecided(why="its jobs and rivals have to be known; no reproduction of it was made"),
    ),
    (
        "Gandiva: time slices, packing and migration shorten the time to feedback",
        "Gandiva (recalled)",
        Undecided(
            why="the scheduler is there, and compared; its own experiments need GPUs that "
            "several jobs share"
        ),
    ),
)
