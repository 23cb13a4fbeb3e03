"""Theorems about online methods: utility at least the optimum over a factor.

Proofs and repairs: `docs/theory/pd-ors.md` and `docs/theory/oasis.md`. Factors are computed in
floating point and rounded up by `online_facts.py`, which is imported on first use.
"""

from functools import partial
from typing import Any

from ...instances import OnlineInstance
from . import USUAL, Guarantee, Hypothesis, late, optimal_by_solver


def _mixed(instance: OnlineInstance, _: Any) -> str | None:
    both = (machine.name for machine in instance.machines if machine.hosts == "both")
    return next((f"machine {name!r} may host both workers and servers" for name in both), None)


WIDE = Hypothesis(
    name="machines and batches large enough to justify the gain factor",
    unmet=late("online_facts:narrow"),
)
SMALL = Hypothesis(
    name="jobs that need a small part of a machine", unmet=late("online_facts:large_job")
)
SURE = Hypothesis(
    name="a job that 1 or 2 machines can complete", unmet=late("online_facts:hopeless")
)
SINGLE = Hypothesis(name="a single resource", unmet=late("online_facts:several_resources"))
ONCE = Hypothesis(name="jobs that one slot completes", unmet=late("online_facts:several_slots"))
TINY = Hypothesis(
    name="jobs that need at most 1 % of a machine",
    unmet=partial(late("online_facts:large_job"), share=0.01),
)
VALUED = Hypothesis(name="utilities of at least 1e-5", unmet=late("online_facts:small_utility"))
APART = Hypothesis(name="separate machines for workers and servers", unmet=_mixed)
COUNTED = Hypothesis(
    name="work of at most 64 slots of one worker", unmet=late("online_facts:coarse_job")
)
CHEAP = Hypothesis(name="first prices below optimum / chi", unmet=late("online_facts:dear_prices"))


def _rounded(
    name: str, form: str, side: str, source: str, *needs: Hypothesis, proved: bool = True
) -> Guarantee:
    """Return the cost guarantee of a gain while one side of the program holds."""
    kept = "capacities" if side == "packing" else "demands"
    statement = f"rounded plan / relaxation: 3 G / delta, delta = 0.1, if {kept} hold"
    return Guarantee(
        name=name,
        statement=statement,
        source=f"{source}, docs/theory/rounding-packing-covering.md",
        proved=proved,
        hypotheses=needs,
        factor=partial(late("online_facts:rounded_cost"), form=form, side=side),
    )


_PRINTED, _CHERNOFF = "PD-ORS, as printed", "Chernoff's bound, Hoeffding 1963"

ONLINE: tuple[Guarantee, ...] = (
    _rounded("gain-packing-printed", "printed", "packing", _PRINTED, WIDE, proved=False),
    _rounded("gain-packing", "chernoff", "packing", _CHERNOFF),
    _rounded("gain-covering-printed", "printed", "covering", _PRINTED),
    _rounded("gain-covering", "chernoff", "covering", _CHERNOFF),
    Guarantee(
        name="competitive-printed",
        statement="(6 G / delta) max(1, ln U/L), delta = 0.1",
        source="PD-ORS, as printed",
        proved=False,
        hypotheses=(USUAL, WIDE),
        factor=late("online_facts:printed_factor"),
        methods=("pd-ors",),
    ),
    Guarantee(
        name="competitive",
        statement="2 chi ((U/L)^(s/(1-s)) - 1) / s, s = 0.2, chi = 2",
        source="Ringyard, after PD-ORS",
        proved=True,
        hypotheses=(USUAL, SMALL, SURE),
        factor=late("online_facts:corrected_factor"),
        methods=("pd-ors-corrected",),
    ),
    Guarantee(
        name="flat-first",
        statement="1 + ln U/L for tiny jobs on one machine in one slot, 2 + ln U/L on several",
        source="Ringyard, after Zhou, Chakrabarty and Lukose 2008",
        proved=True,
        hypotheses=(USUAL, SINGLE, ONCE, TINY, VALUED),
        factor=late("online_facts:flat_factor"),
        methods=("pd-ors-flat",),
    ),
    Guarantee(
        name="two-alpha",
        statement="chi max(1, ((U/L)^s - 1) / s) / (1 - chi rho), at most 2 alpha for s -> 0",
        source="Ringyard, after OASiS, docs/theory/oasis.md",
        proved=True,
        hypotheses=(USUAL, APART, COUNTED, SURE, CHEAP),
        factor=late("online_facts:sized_two_alpha"),
        methods=("oasis",),
    ),
    Guarantee(
        name="two-alpha-printed",
        statement="2 max(1, ln U/L), for workers' and servers' prices",
        source="OASiS, as printed, without its premise that demands are tiny",
        proved=False,
        hypotheses=(USUAL, APART),
        factor=late("online_facts:printed_two_alpha"),
        methods=("oasis",),
    ),
    optimal_by_solver("offline"),
)
