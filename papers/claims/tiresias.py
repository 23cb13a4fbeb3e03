"""Claims of the paper on Tiresias (NSDI 2019), and on the policies in its comparisons."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..tiresias import NEAR
from ..tiresias.experiments import OVER_SRSF, PAPER_TESTBED, PAPER_TESTBED_RATIOS, PAPER_TRACE
from .deciders import (
    OTHERWISE,
    ByColumns,
    ByNumber,
    ClaimVerdict,
    MeasuredParts,
    Reproduced,
    Ruled,
    StatedClaim,
    by_test,
    compared,
    matching,
    span,
    undecided,
)

MEASURES = ("mean", "median", "95th percentile")
DIFFERS, UNTRIED = ClaimVerdict.DIFFERS, ClaimVerdict.UNTRIED

READ = 0.005
"""Ratios are printed with two decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InSentence(Reproduced):
    """A number with its interval in a statement of a reproduction."""

    begins: str
    """The words before the number."""
    paper: float

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Read the number, and compare it."""
        for sentence in measured.sentences(self.by):
            if sentence.startswith(self.begins):
                shown = sentence.removeprefix(self.begins).strip().partition(",")[0]
                return compared(shown, measured.seeds(self.by, "directions"), self.paper, READ)
        return self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNear(Reproduced):
    """Ratios for which the paper has one number: conditions whose intervals lie close to it."""

    by: str = "tiresias-options"
    part: str
    columns: tuple[str, ...]
    """All are near it where the claim stands."""
    paper: float

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Name the conditions under which it stands."""
        rows = measured.rows(self.by, self.part)
        if not rows:
            return self.missing
        held = [row for row in rows if all(self._near(row[one]) for one in self.columns)]
        idle = Counter(row["idle GPUs"] for row in held)
        counts = ", ".join(f"{count} where idle GPUs are {name}" for name, count in idle.items())
        of = f"within {NEAR:g} of {self.paper:g} at {len(held)} of {len(rows)} settings"
        names = "; ".join(f"{row['idle GPUs']}, {row['jobs']}, {row['conditions']}" for row in held)
        why = f"{of} ({counts}): {names}" if held else of
        if len(held) == len(rows):
            return Ruled(ClaimVerdict.REPRODUCED, why)
        return Ruled(ClaimVerdict.ELSEWHERE if held else DIFFERS, why)

    def _near(self, cell: str) -> bool:
        here = span(cell)
        return self.paper - NEAR <= here.low and here.high <= self.paper + NEAR


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRatio(Reproduced):
    """A ratio to Tiresias-L: on the mix as it is, else from the search for all directions."""

    by: str = "tiresias"
    at: tuple[str, str, str]
    """Jobs, policy, measure."""
    paper: float | None = None
    """The number, None if only the direction is claimed."""

    def command(self) -> str:
        """Return the command of the mix as it is, and of the search behind a number."""
        first = Reproduced.command(self)
        if self.at[0] == "testbed" and self.paper is not None:
            return f"{first}, ringyard reproduce tiresias-testbed"
        more = self.at[1:] == ("Tiresias-G", "95th percentile") and self.paper is None
        return f"{first}, ringyard reproduce tiresias-options" if more else first

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the mix as it is first."""
        at = dict(zip(("jobs", "policy", "measure"), self.at, strict=True))
        rows = matching(measured.rows(self.by, "directions"), at)
        if not rows:
            return self.missing
        first = self._of(rows[0], measured.seeds(self.by, "directions"))
        if first.verdict not in OTHERWISE:
            return first
        why, there = first.why, matching(measured.rows("tiresias-region", "confirmed"), at)
        if there:
            second = self._of(there[0], measured.seeds("tiresias-region", "confirmed"))
            shown = second.why.removeprefix("here ")
            why += f". With idle GPUs offered and threshold 14400: {shown}"
            if second.verdict is ClaimVerdict.REPRODUCED:
                return Ruled(ClaimVerdict.ELSEWHERE, why)
        if self.paper is None:
            return self._with_more_seeds(measured, first._replace(why=why))
        if self.at[0] == "trace":
            return Ruled(first.verdict, f"{why}. The paper's trace is not published")
        return self._by_search(measured, first._replace(why=why), self.paper)

    def _with_more_seeds(self, measured: MeasuredParts, first: Ruled) -> Ruled:
        """Decide Tiresias-G by the additional seeds of `tiresias-options`.

        A direction has a side.
        """
        _, policy, measure = self.at
        rows = matching(measured.rows("tiresias-options", "tail"), {"measure": measure})
        if policy != "Tiresias-G" or not rows:
            return first
        below = any(span(row["ratio"]).high < 1 for row in rows)
        seeds = ", ".join(f"{row['ratio']} with threshold {row['threshold']}" for row in rows)
        verdict = ClaimVerdict.ELSEWHERE if below else first.verdict
        return Ruled(verdict, f"{first.why}; by more seeds {seeds}")

    def _by_search(self, measured: MeasuredParts, first: Ruled, paper: float) -> Ruled:
        """Look where laws, loads and versions of the testbed were searched."""
        rows = matching(measured.rows("tiresias-testbed", "ratios"), {"ratio": self.at[2]})
        if not rows:
            return first
        row, (together,) = rows[0], measured.sentences("tiresias-testbed")[:1]
        seeds = measured.seeds("tiresias-testbed", "ratios")
        again = compared(row["nearest setting, rerun"], seeds, paper, READ)
        shown = again.why.removeprefix("here ")
        why = f"{first.why}; {shown} at {row['nearest setting']}; {together}"
        if again.verdict is ClaimVerdict.REPRODUCED:
            return Ruled(ClaimVerdict.ELSEWHERE, why)
        return Ruled(first.verdict, f"{why}. The law of durations is not published")

    def _of(self, row: dict[str, str], seeds: int) -> Ruled:
        """Decide by a row of ratios."""
        if self.paper is not None:
            return compared(row["here"], seeds, self.paper, READ)
        word = row["direction"]
        verdict = DIRECTIONS.get(word, ClaimVerdict.NO_POWER)
        return Ruled(verdict, f"here {row['here']}")


DIRECTIONS = {"holds": ClaimVerdict.REPRODUCED, "reversed": DIFFERS}
"""Verdicts on a direction by the word of its row. Of others, the interval contains 1."""


def _of_ratios() -> Iterator[StatedClaim]:
    """Yield the direction and the number of each ratio."""
    for at, ratio in _ratios():
        side = "the same as" if abs(ratio - 1) <= 0.05 else "above" if ratio > 1 else "below"
        place = "testbed" if at[0] == "testbed" else "trace simulation"
        about = ", ".join(at)
        yield f"{about}: {side} Tiresias-L", place, ByRatio(at=at)
        yield f"{about}: {ratio:.2f} times Tiresias-L", place, ByRatio(at=at, paper=ratio)


def _ratios() -> Iterator[tuple[tuple[str, str, str], float]]:
    """Yield every ratio of the paper, with its terms."""
    for jobs, policies in (("testbed", PAPER_TESTBED_RATIOS), ("trace", PAPER_TRACE)):
        for policy, ratios in policies.items():
            for measure, ratio in zip(MEASURES, ratios, strict=False):
                yield (jobs, policy, measure), ratio
    for measure, column in (("makespan", "makespan_s"), ("waiting", "mean_waiting_s")):
        ratio = PAPER_TESTBED["YARN-CS"][column] / PAPER_TESTBED["Tiresias-L"][column]
        yield ("testbed", "YARN-CS", measure), ratio


HEADS = {"makespan_s": "makespan", "mean_waiting_s": "waiting", "preemptions": "stops"}

SECONDS: tuple[StatedClaim, ...] = tuple(
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
        ),
    )
    for policy, numbers in PAPER_TESTBED.items()
    for column, number in numbers.items()
)

OTHERS: tuple[StatedClaim, ...] = (
    (
        f"trace: mean of SRTF over SRSF {OVER_SRSF['SRTF']}",
        "trace simulation",
        InSentence(by="tiresias", begins="trace: mean of SRTF over SRSF", paper=OVER_SRSF["SRTF"]),
    ),
    (
        "3 queues gain 1 % over 2",
        "sensitivity",
        ByNear(
            part="queues",
            columns=tuple(f"3 queues / 2 queues, from {one} GPU-s" for one in (3200, 14400)),
            paper=0.99,
        ),
    ),
    (
        "a threshold of an hour is as good as a longer one",
        "sensitivity",
        ByNear(
            part="thresholds",
            columns=tuple(f"threshold {one} h / 1 h" for one in (2, 4, 8)),
            paper=1.0,
        ),
    ),
    undecided(
        "placement by profile gains up to 1.67 times",
        "testbed",
        why="speeds of the models over several servers have to be measured on GPUs",
    ),
    (
        "the worked example: mean completion times 9.3, 10.0, 11.7",
        "example and slides",
        ByColumns(by="tiresias-example", part="schedules", columns=(("the paper's", "mean"),)),
    ),
    (
        "the picture of the index in the slides agrees with the formula",
        "slides",
        ByColumns(
            by="tiresias-example",
            part="index",
            columns=(("drawn in the slides", "as defined"),),
            otherwise=ClaimVerdict.FALSE,
        ),
    ),
    by_test(
        "with the law of lengths known, the Gittins index is best on average",
        "2D-Gittins",
        test="policies/trace/test_gittins_is_best.py::test_nobody_who_knows_the_law_does_better",
        why="against all policies, where every job takes all GPUs",
    ),
    by_test(
        "the released simulator's runs",
        "simulator",
        test="policies/trace/test_public_simulator.py",
        why="its rules, reimplemented: job by job the same ends",
    ),
)

SYSTEMS: tuple[StatedClaim, ...] = (
    by_test(
        "Optimus: curves of loss and speed are learned, GPUs go where an epoch gains most",
        "Optimus",
        test="policies/trace/test_optimus.py",
        why="exact curves are recovered, allocations by hand come out",
    ),
    undecided(
        "Optimus: 139 % better in completion time and 63 % in makespan than other schedulers",
        "Optimus, abstract (recalled)",
        why="its jobs and rivals are not published. Its rules are implemented, on other jobs",
        verdict=UNTRIED,
    ),
    undecided(
        "Gandiva: time slices, packing and migration shorten the time to feedback",
        "Gandiva (recalled)",
        why="the scheduler is implemented and compared. Its own experiments need GPUs that "
        "several jobs share",
        verdict=UNTRIED,
    ),
)

TIRESIAS_CLAIMS = {"Tiresias": (*_of_ratios(), *SECONDS, *OTHERS, *SYSTEMS)}
