"""Claims of the paper on Tiresias (NSDI 2019), and on the policies in its comparisons."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from ..tiresias import NEAR
from ..tiresias.experiments import OVER_SRSF, PAPER_TESTBED, PAPER_TESTBED_RATIOS, PAPER_TRACE
from ..tiresias.rivals import PAPER_GAINS
from .deciders import (
    OTHERWISE,
    ByColumns,
    ByNumber,
    ByRange,
    ClaimVerdict,
    Reproduced,
    Ruled,
    StatedClaim,
    by_test,
    compared,
    elsewhere,
    matching,
    undecided,
)
from .measured import MeasuredParts, Sampled, span

MEASURES = ("mean", "median", "95th percentile")
DIFFERS = ClaimVerdict.DIFFERS

FITTED = "testbed (durations fitted)"
"""Its law of durations is not published. Ours has the mean that its delays and ratio 5.5 imply."""

READ = 0.005
"""Ratios are printed with two decimals."""


NAMES = ("idle GPUs", "jobs", "conditions")
"""The columns that name a row of options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRatio(Reproduced):
    """A ratio to Tiresias-L: on the mix as it is, else from the search for all directions."""

    by: str = "tiresias"
    at: tuple[str, str, str]
    """Jobs, policy, measure."""
    paper: float | None = None
    """The number, None if only the side is claimed."""
    side: tuple[float, float] = (0, inf)
    """The least and the largest ratio on the paper's side."""

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
        found = self._of(rows[0], measured.sampled(self.by, "directions"))
        for there, under in self._elsewhere(measured, at):
            if found.verdict not in OTHERWISE:
                break
            why = f"{found.why}; {there.why.removeprefix('here ')} {under}"
            found = elsewhere(found, there, why)
        if found.verdict in OTHERWISE and self.paper is not None:
            unknown = "trace" if self.at[0] == "trace" else "law of durations"
            found = found._replace(why=f"{found.why}. The paper's {unknown} is not published")
        return found

    def _elsewhere(
        self, measured: MeasuredParts, at: Mapping[str, str]
    ) -> Iterator[tuple[Ruled, str]]:
        """Yield the verdicts under other conditions, and the conditions."""
        for row in matching(measured.rows("tiresias-region", "confirmed"), at):
            sampled = measured.sampled("tiresias-region", "confirmed")
            yield self._of(row, sampled), "with idle GPUs offered and threshold 14400"
        jobs, policy, measure = self.at
        if self.paper is None and policy == "Tiresias-G":
            for row in matching(measured.rows("tiresias-options", "tail"), {"measure": measure}):
                sampled = measured.sampled("tiresias-options", "tail")
                about = f"with threshold {row['threshold']} and more seeds"
                yield self._of({"here": row["ratio"]}, sampled), about
        if self.paper is not None and jobs == "testbed":
            for row in matching(measured.rows("tiresias-testbed", "ratios"), {"ratio": measure}):
                sampled = measured.sampled("tiresias-testbed", "again")
                rerun = self._of({"here": row["nearest setting, rerun"]}, sampled)
                yield rerun, f"at {row['nearest setting']}"

    def _of(self, row: Mapping[str, str], sampled: Sampled | None) -> Ruled:
        """Decide by a row of ratios."""
        if self.paper is not None:
            return compared(row["here"], sampled, self.paper, READ, ratio=True)
        tells = span(row["here"]).beside(*self.side)
        verdict = ClaimVerdict.REPRODUCED if tells else DIFFERS
        return Ruled(ClaimVerdict.NO_POWER if tells is None else verdict, f"here {row['here']}")


def _of_ratios() -> Iterator[StatedClaim]:
    """Yield the direction and the number of each ratio."""
    for at, ratio in _ratios():
        same = abs(ratio - 1) <= NEAR
        side = "the same as" if same else "above" if ratio > 1 else "below"
        ends = (1 - NEAR, 1 + NEAR) if same else (1, inf) if ratio > 1 else (0, 1)
        place = FITTED if at[0] == "testbed" else "trace simulation"
        about = ", ".join(at)
        to = f" within {NEAR:g}" if same else ""
        yield f"{about}: {side} Tiresias-L{to}", place, ByRatio(at=at, side=ends)
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
        FITTED,
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
        ByNumber(
            by="tiresias",
            part="trace",
            at={"policy": "SRTF"},
            column="mean / SRSF",
            paper=OVER_SRSF["SRTF"],
            slack=READ,
            ratio=True,
        ),
    ),
    (
        f"3 queues gain 1 % over 2, within {NEAR:g}",
        "sensitivity",
        ByRange(
            by="tiresias-options",
            part="queues",
            columns={
                f"3 queues / 2 queues, from {one} GPU-s": (0.99 - NEAR, 0.99 + NEAR)
                for one in (3200, 14400)
            },
            names=NAMES,
            conditions=True,
        ),
    ),
    (
        f"a threshold of an hour is as good as a longer one, within {NEAR:g}",
        "sensitivity",
        ByRange(
            by="tiresias-options",
            part="thresholds",
            columns={f"threshold {one} h / 1 h": (1 - NEAR, 1 + NEAR) for one in (2, 4, 8)},
            names=NAMES,
            conditions=True,
        ),
    ),
    undecided(
        "placement by profile gains up to 1.67 times",
        "testbed",
        missing="the speeds of the models over several servers, to be measured on GPUs",
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
        "with the law of lengths known, the Gittins index is best on average on one GPU",
        "2D-Gittins",
        test="policies/trace/test_gittins_is_best.py::test_nobody_who_knows_the_law_does_better",
        why="equal to the best of all policies that know the law, by dynamic programming",
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
    *(
        (
            f"Optimus: {measure} of a fair scheduler {paper:g} times its own",
            "Optimus, abstract (recalled)",
            ByNumber(
                by="rivals", part="optimus", column=measure, paper=paper, slack=READ, ratio=True
            ),
        )
        for measure, paper in PAPER_GAINS.items()
    ),
    (
        "Gandiva: time slices, packing and migration let jobs run sooner than first in, first out",
        "Gandiva (recalled)",
        ByRange(
            by="rivals",
            part="gandiva",
            at={"policy": "Gandiva"},
            columns={"first start / first in, first out": (0, 1)},
        ),
    ),
    *(
        (
            f"Gandiva: {one} lowers the mean completion time",
            "Gandiva (recalled)",
            ByRange(
                by="rivals",
                part="gandiva",
                at={"policy": f"no {one}"},
                columns={"mean / Gandiva": (1, inf)},
            ),
        )
        for one in ("packing", "migration")
    ),
)

TIRESIAS_CLAIMS = {"Tiresias": (*_of_ratios(), *SECONDS, *OTHERS, *SYSTEMS)}
