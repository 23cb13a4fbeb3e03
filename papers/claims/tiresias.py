"""Claims of the paper on Tiresias (NSDI 2019), and on the policies in its comparisons."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from ..tiresias import NEAR
from ..tiresias.experiments import (
    OVER_SRSF,
    PAPER_TESTBED,
    PAPER_TESTBED_RATIOS,
    PAPER_TRACE,
    TESTBED,
)
from ..tiresias.ratios import HEADS
from ..tiresias.region import CONFIRMED
from ..tiresias.rivals import PAPER_GAINS
from .deciders import (
    INFORM,
    NEAREST_SETTING,
    OTHERWISE,
    RERUN,
    SETTING,
    ByColumns,
    ByNumber,
    ByRange,
    OnlyElsewhere,
    Reproduced,
    ReproducedElsewhere,
    compared,
    elsewhere,
    matching,
    told,
)
from .measured import MeasuredParts, Sampled, span
from .verdicts import ClaimVerdict, Ruled, StatedClaim, by_test, undecided

MEASURES = ("mean", "median", "95th percentile")
TRACE = "trace simulation (another trace)"
DIFFERS = ClaimVerdict.DIFFERS

FITTED = "testbed (durations fitted)"
"""Its law of durations is not published. Ours has the mean that its delays and ratio 5.5 imply."""

FITTED_TO = {
    ("testbed", "YARN-CS", "mean"),
    ("testbed", "YARN-CS", "waiting"),
    ("testbed", "Tiresias-L", "waiting"),
}
"""The numbers of the paper from which this mean was worked out."""

FITTING = "The mean of the jobs' durations was fitted to this number"
"""The note at these numbers."""

SEARCH = "tiresias-region"
"""The search for all ratios."""

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
    paper: float

    def command(self) -> str:
        """Return the command of the mix as it is, and of the search."""
        more = ["tiresias-testbed"] if self.at[0] == "testbed" else []
        more += ["tiresias-options"] if self.at[1] == "Tiresias-G" else []
        first = f"{Reproduced.command(self)}, ringyard reproduce tiresias-region"
        return ", ringyard reproduce ".join([first, *more])

    @property
    def side(self) -> tuple[str, tuple[float, float]]:
        """The paper's side of Tiresias-L, with its least and largest ratio."""
        if abs(self.paper - 1) <= NEAR:
            return f"within {NEAR:g} of Tiresias-L", (1 - NEAR, 1 + NEAR)
        above = self.paper > 1
        return ("above Tiresias-L", (1, inf)) if above else ("below Tiresias-L", (0, 1))

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the mix as it is first."""
        at = dict(zip(("jobs", "policy", "measure"), self.at, strict=True))
        rows = matching(measured.rows(self.by, "directions"), at)
        if not rows:
            return self.missing
        found, sides = Ruled(ClaimVerdict.NO_POWER, ""), list[str]()
        for there, shown, under in self._runs(rows[0], measured, at):
            why = f"{found.why}; {there.why.removeprefix('here ')} {under}"
            found = elsewhere(found, there, why, known=False) if found.why else there
            sides += [told(self._side_in(shown))]
            if found.verdict not in OTHERWISE:
                break
        if found.verdict in OTHERWISE and not measured.rows(SEARCH, "nearest"):
            return self.missing
        side = f"{INFORM}{self.side[0]}: {', '.join(dict.fromkeys(sides))}"
        if self.at in FITTED_TO:
            side += f". {FITTING}"
        return found._replace(why=f"{found.why} ({side})")

    def _runs(
        self, row: Mapping[str, str], measured: MeasuredParts, at: Mapping[str, str]
    ) -> Iterator[tuple[Ruled, str, str]]:
        """Yield the verdicts on the mix as it is and under other conditions, which are named."""
        yield *self._of(row["here"], measured.sampled(self.by, "directions")), ""
        jobs, policy, measure = self.at
        tail = measured.rows("tiresias-options", "tail") if policy == "Tiresias-G" else []
        more = matching(tail, {"measure": measure})
        for there in more:
            sampled = measured.sampled("tiresias-options", "tail")
            yield *self._of(there["ratio"], sampled), self._confirmed(there["threshold"])
        for there in [] if more else matching(measured.rows(SEARCH, "confirmed"), at):
            yield *self._of(there["here"], measured.sampled(SEARCH, "confirmed")), self._confirmed()
        for there in matching(measured.rows(SEARCH, "nearest"), at):
            sampled = measured.sampled(SEARCH, "nearest")
            yield *self._of(there[RERUN], sampled), f"{NEAREST_SETTING} {there[SETTING]}"
        if jobs == "testbed":
            for there in matching(measured.rows("tiresias-testbed", "ratios"), {"ratio": measure}):
                sampled = measured.sampled("tiresias-testbed", "again")
                yield *self._of(there[RERUN], sampled), f"{NEAREST_SETTING} {there[SETTING]}"

    def _confirmed(self, threshold: str | None = None) -> str:
        """Return the point of the search for all directions in words, or with this threshold."""
        version, shared, own = CONFIRMED
        found = "found by a search, other seeds" if threshold is None else "more seeds"
        return (
            f"with idle GPUs {version.idle}, threshold {threshold or version.threshold}, {shared}, "
            f"{own[self.at[0]]} ({found})"
        )

    def _of(self, shown: str, sampled: Sampled | None) -> tuple[Ruled, str]:
        """Decide by a ratio. One draw may be what the mean is not, if it is on the other side."""
        found = compared(shown, sampled, self.paper, READ, ratio=True)
        if found.verdict is ClaimVerdict.REPRODUCED and self._side_in(shown) is False:
            found = found._replace(verdict=ClaimVerdict.NO_POWER)
        return found, shown

    def _side_in(self, shown: str) -> bool | None:
        """Return whether a ratio is on the paper's side."""
        return span(shown).beside(*self.side[1])


def _of_ratios() -> Iterator[StatedClaim]:
    """Yield the ratios of the paper. A number states its side too, and counts once."""
    for jobs, place, policies in (
        ("testbed", FITTED, PAPER_TESTBED_RATIOS),
        ("trace", TRACE, PAPER_TRACE),
    ):
        for policy, ratios in policies.items():
            for measure, ratio in zip(MEASURES, ratios, strict=False):
                says = f"{jobs}, {policy}, {measure}: {ratio:.2f} times Tiresias-L"
                yield says, place, ByRatio(at=(jobs, policy, measure), paper=ratio)


def _second(policy: str, head: str, paper: float) -> ReproducedElsewhere:
    """Return the decider of a time or a count of the testbed."""
    first = ByNumber(
        by="tiresias",
        part="testbed",
        at={"policy": policy},
        column=head,
        paper=paper,
        slack=0.5,
        about=FITTING if (TESTBED, policy, head) in FITTED_TO else "",
    )
    there = replace(
        first,
        about="",
        by="tiresias-testbed",
        part="seconds",
        at={"policy": policy, "number": head},
        column=RERUN,
        setting=SETTING,
    )
    return ReproducedElsewhere(
        by="tiresias", first=first, there=there, under=NEAREST_SETTING, known=False
    )


SECONDS: tuple[StatedClaim, ...] = tuple(
    (
        f"testbed, {policy}, {HEADS[column]}: {number:g}",
        FITTED,
        _second(policy, HEADS[column], number),
    )
    for policy, numbers in PAPER_TESTBED.items()
    for column, number in numbers.items()
)


def _gittins(index: str) -> ByRange:
    """Return the decider of the mean with an index."""
    return ByRange(
        by="tiresias-example",
        part="schedules",
        at={"policy": f"2D-Gittins, index {index}"},
        columns={"mean": (9.95, 10.05)},
        exact=True,
    )


OTHERS: tuple[StatedClaim, ...] = (
    (
        f"trace: mean of SRTF over SRSF {OVER_SRSF['SRTF']}",
        TRACE,
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
    undecided(
        "trace: mean of SF over SRSF 1.52",
        TRACE,
        missing="runs of sjf:size=gpus:stops=yes, which the study does not have",
        verdict=ClaimVerdict.UNTRIED,
    ),
    *(
        (
            f"{queues} queues gain 1 % over 2, within {NEAR:g}",
            "sensitivity (another trace)",
            ReproducedElsewhere(
                by="tiresias",
                first=ByRange(
                    by="tiresias",
                    part="options",
                    at={"option": f"{queues} queues"},
                    columns={"trace": (0.99 - NEAR, 0.99 + NEAR)},
                ),
                there=ByRange(
                    by="tiresias-options",
                    part="queues",
                    columns={
                        f"{queues} queues / 2 queues, from {one} GPU-s": (0.99 - NEAR, 0.99 + NEAR)
                        for one in (3200, 14400)
                    },
                    names=NAMES,
                    conditions=True,
                ),
                under="under other conditions",
                known=False,
            ),
        )
        for queues in (3, 4)
    ),
    (
        f"a threshold of an hour is as good as a longer one, within {NEAR:g}",
        "sensitivity (another trace)",
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
    *(
        (
            f"the worked example: mean completion time {mean} with {policy.partition(',')[0]}",
            "example and slides",
            ByColumns(
                by="tiresias-example",
                part="schedules",
                at={"policy": policy},
                columns=(("the paper's", "mean"),),
            ),
        )
        for policy, mean in (("SRSF", 9.3), ("2D-LAS, quantum 1", 11.7))
    ),
    (
        "the worked example: mean completion time 10.0 with 2D-Gittins",
        "example and slides",
        ReproducedElsewhere(
            by="tiresias-example",
            first=_gittins("as defined"),
            there=_gittins("of the slides"),
            under="with an index that was fitted to a picture in the slides",
        ),
    ),
    (
        "the picture of the index in the slides agrees with the formula",
        "slides",
        ByColumns(
            by="tiresias-example",
            part="index",
            columns=(("drawn in the slides", "as defined"),),
        ),
    ),
    by_test(
        "with the law of lengths known, the Gittins index is best on average on one GPU",
        "2D-Gittins (recalled)",
        test="policies/trace/test_gittins_is_best.py::test_nobody_who_knows_the_law_does_better",
        why="three jobs and six laws: equal to the best of all policies that know the law, by "
        "dynamic programming",
    ),
)

OTHER_LOAD = "its jobs and load are not recalled, and ours are those of studies/tiresias"
"""How our runs differ from Gandiva's experiments."""

SYSTEMS: tuple[StatedClaim, ...] = (
    by_test(
        "Optimus: curves of loss and speed are learned, GPUs go where they save the most time",
        "Optimus, its code",
        test="policies/trace/test_optimus.py::test_the_fit_of_exact_losses_is_the_curve_itself "
        "policies/trace/test_optimus.py::test_the_models_of_speed_are_recovered_from_a_few_widths "
        "policies/trace/test_optimus.py::test_allocation_by_hand",
        why="exact curves are recovered, allocations by hand come out",
    ),
    *(
        (
            f"Optimus: {measure} of a fair scheduler {paper:g} times its own",
            "Optimus, abstract (recalled; other jobs)",
            ByNumber(
                by="rivals",
                part="optimus",
                column=measure,
                paper=paper,
                slack=READ,
                ratio=True,
                about="the largest of 8 conditions",
            ),
        )
        for measure, paper in PAPER_GAINS.items()
    ),
    (
        "Gandiva: time slices, packing and migration let jobs run sooner than first in, first out",
        "Gandiva (recalled; other jobs)",
        OnlyElsewhere(
            unlike=OTHER_LOAD,
            there=ByRange(
                by="rivals",
                part="gandiva",
                at={"policy": "Gandiva"},
                columns={"first start / first in, first out": (0, 1)},
            ),
        ),
    ),
    *(
        (
            f"Gandiva: {one} lowers the mean completion time",
            "Gandiva (recalled; other jobs)",
            OnlyElsewhere(
                unlike=OTHER_LOAD,
                there=ByRange(
                    by="rivals",
                    part="gandiva",
                    at={"policy": f"no {one}"},
                    columns={"mean / Gandiva": (1, inf)},
                ),
            ),
        )
        for one in ("packing", "migration")
    ),
)

TIRESIAS_CLAIMS = {"Tiresias": (*_of_ratios(), *SECONDS, *OTHERS, *SYSTEMS)}
