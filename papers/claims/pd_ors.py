"""Claims of the papers on PD-ORS, OASiS, SMD and GADGET."""

from dataclasses import dataclass
from math import inf

from ...analysis.intervals import paired_ratio
from .deciders import ByBounds, ByRange, OnlyElsewhere, Reproduced, ReproducedElsewhere, all_of
from .measured import MeasuredParts, ShownNumber
from .verdicts import ByTest, ClaimVerdict, Ruled, StatedClaim, by_test, undecided

SLIP, FALSE = ClaimVerdict.SLIP, ClaimVerdict.FALSE


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPairs(Reproduced):
    """A column with larger values than other columns, by paired ratios over the rows."""

    part: str
    column: str
    others: tuple[str, ...]
    name: str
    """The column that names the rows."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the interval of each ratio with 1."""
        rows = measured.rows(self.by, self.part)
        if not rows:
            return self.missing
        own = [float(row[self.column]) for row in rows]
        ratios = [paired_ratio(own, [float(row[one]) for row in rows]) for one in self.others]
        ends = [ShownNumber(one.mean, one.low, one.high) for one in ratios]
        tells = all_of([one.within(1, inf) for one in ends])
        shown = (
            f"{one.mean:.2f} ({one.low:.2f} to {one.high:.2f}) times {name}"
            for one, name in zip(ends, self.others, strict=True)
        )
        held = ClaimVerdict.REPRODUCED if tells else ClaimVerdict.DIFFERS
        verdict = ClaimVerdict.NO_POWER if tells is None else held
        names = ", ".join(row[self.name] for row in rows)
        return Ruled(verdict, f"over {len(rows)} rows ({names}): {', '.join(shown)}")


def _more(method: str, other: str) -> ByRange:
    """Return the decider of differences on the same jobs, for every number of jobs."""
    return ByRange(
        by="pd-ors-pairs",
        part="pairs",
        at={"method": method, "than": other},
        columns={"utility more": (0, inf)},
        names=("jobs",),
        every=True,
    )


PD_ORS: tuple[StatedClaim, ...] = (
    *(
        (
            f"more utility than {other}, for every number of jobs",
            "experiments (recalled; other jobs)",
            ReproducedElsewhere(
                by="pd-ors-pairs",
                first=OnlyElsewhere(
                    there=_more("PD-ORS as printed", other),
                    unlike="its gain and its number of draws are not recalled, here 1 and 8",
                ),
                there=_more("PD-ORS", other),
                under="with plans that do not fit repaired, not thrown away",
            ),
        )
        for other in ("OASiS", "FIFO", "DRF", "Dorm")
    ),
    (
        "the utility is at least the optimum over (6 G/delta) max(1, ln U/L), for jobs of any size",
        "competitive ratio (recalled)",
        ByTest(
            test="campaigns/test_verify_online.py::"
            "test_the_printed_factor_is_false_of_jobs_that_each_take_a_machine",
            why="two jobs that each take a machine: 1 where 10000 is possible, and the printed "
            "factor is 573",
            verdict=FALSE,
            premise="The paper assumes small demands",
        ),
    ),
    by_test(
        "the utility is at least the optimum over (6 G/delta) max(1, ln U/L), if jobs use a "
        "vanishing part of a machine",
        "competitive ratio (recalled)",
        test="campaigns/test_verify_online.py::"
        "test_the_printed_factor_is_kept_by_jobs_that_are_small",
        why="proved in theory/pd-ors for delta 0.1 and a G that meets its lemma, where plans cost "
        "at most 1.5 times the cheapest, no job needs more than 0.4/ln(U/L) of a machine, and the "
        "job with the least work can complete. 64 copies of the counterexample on one machine are "
        "so small and keep it",
        verdict=ClaimVerdict.OPEN_ELSEWHERE,
    ),
    by_test(
        "a gain G from 1/2 to 1 keeps capacities with probability 1 - delta",
        "rounding lemma (recalled)",
        test="rounding/test_gain_tails.py::"
        "test_from_2_56_logs_on_the_printed_factor_keeps_its_promise_and_not_before",
        why="proved in theory/rounding-packing-covering for machines with room for 2.56 "
        "ln(3r/delta) parts. G is at least 1/2 from 6 ln(3r/delta) parts on",
    ),
    by_test(
        "a row with room for 4 parts fails with probability at most delta/(3r)",
        "rounding lemma (recalled)",
        test="rounding/test_gain_tails.py::"
        "test_the_printed_factor_breaks_its_claim_on_machines_with_four_gpus",
        why="100 machines with four resources, delta 0.1: 1.23 times as often, if a row is a sum "
        "of 1000 equal parts. G is far below 1/2 there",
        verdict=FALSE,
        premise="The textbook form of the Chernoff bound needs at least 1/2. Whether the paper "
        "states this is not recalled",
    ),
    by_test(
        "a gain G above 1 meets demands with probability 1 - delta",
        "rounding lemma (recalled)",
        test="campaigns/test_verify_online.py::"
        "test_what_is_stated_of_rounding_holds_where_it_speaks",
        why="proved in theory/rounding-packing-covering, and no run breaks it",
    ),
    undecided(
        "training times, utilities, ratios to the optimum and the sweep of the gain: the plots",
        "experiments (recalled)",
        missing="the values in the plots",
        verdict=ClaimVerdict.UNTRIED,
    ),
)

OASIS: tuple[StatedClaim, ...] = (
    by_test(
        "2 alpha-competitive, where demands are vanishingly small",
        "Theorem",
        test="analysis/test_oasis_guarantee.py::"
        "test_the_factor_comes_down_to_two_alpha_as_jobs_become_small "
        "analysis/test_oasis_guarantee.py::test_values_that_rise_stay_within_the_factor",
        why="proved in theory/oasis with U and L as corrected there: the factor for demands of any "
        "size is 2 alpha at most in the limit. Values that rise come to more than 2, and stay "
        "within both factors",
    ),
    (
        "2 alpha-competitive for jobs of any size",
        "Theorem",
        ByTest(
            test="analysis/test_oasis_guarantee.py::"
            "test_the_printed_factor_is_false_of_a_job_as_large_as_a_machine",
            why="1 where 100 is possible, and 2 alpha is 11.98",
            verdict=FALSE,
            premise="The paper assumes vanishingly small demands",
        ),
    ),
    by_test(
        "the limits of prices U and L, as printed",
        "equations",
        test="policies/online/test_oasis.py::test_the_printed_limits_of_prices_are_none "
        "policies/online/test_oasis.py::test_limits_of_prices_are_those_of_the_formulas",
        why="U takes the utility, which is one of the time since the arrival, at a duration less "
        "the date of the arrival: 23 where no schedule is worth more than 14. L takes the utility "
        "at the horizon. If that is 0 for a job, so is L, and the price L (U/L)^f has no value. "
        "The paper's sigmoids stay above 0. Corrected, both limits are those by hand",
        verdict=SLIP,
    ),
    undecided(
        "a running time of O(T N E (H + K) + T (N E)^2) for a job",
        "Theorem",
        missing="a count of steps",
        verdict=ClaimVerdict.UNTRIED,
    ),
    undecided(
        "utility with U and L misestimated by 20 to 1000 %",
        "Figure 6",
        missing="runs of oasis with scale_u and scale_l, and the numbers in the figure",
        verdict=ClaimVerdict.UNTRIED,
    ),
    (
        "optimum over utility between 1.1 and 1.5 for ten jobs",
        "experiments (other jobs)",
        ByRange(
            by="oasis",
            part="ratio",
            columns={"optimum / OASiS": (1.1, 1.5)},
            names=("machines", "epochs at most"),
            conditions=True,
            about="the machines and epochs of this plot are not known, and each row is only one "
            "possible condition",
        ),
    ),
    *(
        (
            f"more utility than {other}: on the mix of PD-ORS",
            "experiments (recalled; other jobs)",
            OnlyElsewhere(
                there=_more("OASiS", other),
                unlike="20 slots, where its experiments have 100 to 300",
            ),
        )
        for other in ("FIFO", "DRF", "Dorm", "RRH")
    ),
)

SHORTER = "epsilon 0.2 and layers of up to 50 ms, where it has 0.01 and up to 300 and 500 ms"
"""How our runs differ from SMD's experiments."""

SMD: tuple[StatedClaim, ...] = (
    by_test(
        "the grid is within 1 + epsilon of the fractional optimum",
        "Theorem",
        test="search/online/test_smd.py::test_the_grid_keeps_its_promise",
        why="proved in theory/smd, and no run breaks it",
    ),
    by_test(
        "rounding costs at most (24/M + 4)/delta times as much, with some probability",
        "Theorem",
        test="search/online/test_smd.py::"
        "test_rounding_always_fits_and_costs_no_more_than_is_proved "
        "search/online/test_smd.py::test_the_proved_factor_is_tight",
        why="proved in theory/smd: max(4, 2/M) times, surely, and a job comes to it. What is "
        "rounded always fits",
    ),
    by_test(
        "the probability of rounding down is the fraction",
        "algorithm",
        test="search/online/test_smd.py::test_rounding_has_the_mean_of_the_shrunk_point",
        why="only its complement keeps the mean, which the paper uses",
        verdict=SLIP,
    ),
    undecided(
        "a sample is drawn again if it fails both of two tests",
        "algorithm",
        missing="a run with this test. AND seems to be a misprint, and makes no difference: by "
        "the factor of rounding above, every sample fits, and none costs too much",
        verdict=ClaimVerdict.UNTRIED,
    ),
    by_test(
        "sets of k jobs and a linear program reach 1 - epsilon of the knapsack",
        "Theorem",
        test="search/online/test_smd.py::test_sets_of_jobs_reach_their_factor "
        "search/online/test_smd.py::test_the_factor_of_sets_is_tight",
        why="proved in theory/smd: k/(k+R). Two large jobs and a small one come to 1.96 of the "
        "factor of 2",
    ),
    (
        "0.75 to 1 of the optimum with 10 to 50 jobs",
        "experiments (other jobs)",
        OnlyElsewhere(
            unlike=SHORTER,
            there=ByRange(
                by="smd",
                part="ratio",
                columns={"SMD's rounding": (0.75, 1.0)},
                names=("capacity, %", "jobs"),
            ),
        ),
    ),
    (
        "30 to 50 % of the reserved resources in use",
        "experiments (other jobs)",
        OnlyElsewhere(
            unlike=SHORTER,
            there=ByRange(
                by="smd",
                part="ratio",
                at={"capacity, %": "30"},
                columns={"in use, SMD's rounding, %": (30.0, 50.0)},
                names=("jobs",),
            ),
        ),
    ),
)

GADGET: tuple[StatedClaim, ...] = (
    by_test(
        "slots filled to a part alpha give alpha/(1 + alpha) of the optimum",
        "Theorem",
        test="search/reserved/test_gadget.py::"
        "test_with_exact_slots_it_is_worth_at_least_half_of_the_optimum "
        "search/reserved/test_gadget.py::test_a_slot_filled_best_can_leave_less_for_the_next",
        why="proved in theory/reserved-coded-shuffle, and no run breaks it. With alpha = 1, so a "
        "factor of 2, three rings come to 1.5",
    ),
    (
        "rounded slots give 1/(3 Gamma + 1) of the optimum, limits exceeded by its factors at most",
        "Theorem",
        ByBounds(
            by="gadget",
            part="overloads",
            bounds={
                "1 / (3 Gamma + 1)": "all slots",
                "fullest link": "its factor",
                "fullest machine": "factor",
            },
        ),
    ),
    (
        "60 to 80 % of the slot's optimum: what fits of a draw",
        "experiments (other jobs)",
        OnlyElsewhere(
            there=ByRange(
                by="gadget",
                part="overloads",
                columns={"what fits": (0.6, 0.8)},
                names=("rings",),
                conditions=True,
                about="over the relaxation, which is at least the slot's optimum, so over the "
                "latter it is larger still",
            ),
            unlike="12 slots, where it has 200",
        ),
    ),
    (
        "more gain than FIFO, DRF and LAS, with draws repaired",
        "experiments (other jobs)",
        OnlyElsewhere(
            there=ByPairs(
                by="sheets",
                part="gains",
                column="gadget",
                name="instance",
                others=("ring-las", "ring-drf", "ring-fifo"),
            ),
            unlike="other functions of gain, a repair of draws, and 5 small instances",
        ),
    ),
)

PD_ORS_CLAIMS = {"PD-ORS": PD_ORS, "OASiS": OASIS, "SMD": SMD, "GADGET": GADGET}
