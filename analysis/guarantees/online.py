"""Theorems about online methods: utility at least the optimum over a factor.

Proofs and repairs: `docs/theory/pd-ors.md` and `docs/theory/oasis.md`. Factors are computed in
floating point and rounded up, by `online_facts.py`, which is imported when a factor or a hypothesis
is asked for.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...instances import OnlineInstance
from .guarantee import Guarantee, Hypothesis, optimal_by_solver

if TYPE_CHECKING:
    from ...rounding.gain import Side


def _usual(_: OnlineInstance, options: Any) -> str | None:
    return None if options is None else "options stand behind the method's name"


def _wide(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import packing_gain

    return packing_gain(instance).packing_unmet


def _small(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import SHARE, largest_share

    most, job = largest_share(instance)
    if most <= SHARE:
        return None
    return f"job {job!r} can take {100 * most:.3g} % of a machine, more than {100 * SHARE:g} %"


def _hopeless(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import LEAST_SURE, sure

    return (
        None
        if sure(instance) >= LEAST_SURE
        else "no job can be completed on one machine, or on two"
    )


def _printed(instance: OnlineInstance) -> Fraction:
    from .online_facts import printed_factor

    return printed_factor(instance)


def _corrected(instance: OnlineInstance) -> Fraction:
    from .online_facts import corrected_factor

    return corrected_factor(instance)


def _mixed(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import mixed_machine

    machine = mixed_machine(instance)
    return None if machine is None else f"machine {machine!r} may hold both"


def _coarse(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import coarse_job

    found = coarse_job(instance)
    return None if found is None else f"job {found[0]!r} takes {found[1]:,} of them"


def _dear(instance: OnlineInstance, _: Any) -> str | None:
    from .online_facts import price_facts

    facts = price_facts(instance)
    if facts.left > 0:
        return None
    return f"chi is {facts.stretch:.3g}, and all costs {facts.start:.3g} times what is sure"


def _two_alpha(instance: OnlineInstance) -> Fraction:
    from .online_facts import printed_two_alpha

    return printed_two_alpha(instance)


def _sized(instance: OnlineInstance) -> Fraction:
    from .online_facts import sized_two_alpha

    return sized_two_alpha(instance)


USUAL = Hypothesis(name="the usual options", unmet=_usual)
WIDE = Hypothesis(
    name="machines and batches so large that the gain factor is justified", unmet=_wide
)
SMALL = Hypothesis(name="jobs that take a small part of a machine", unmet=_small)


SURE = Hypothesis(name="a job that one machine, or two, can complete", unmet=_hopeless)
APART = Hypothesis(name="machines for workers and others for servers", unmet=_mixed)
COUNTED = Hypothesis(name="work counted in slots of one worker, of 64 at most", unmet=_coarse)
CHEAP = Hypothesis(name="first prices below the optimum over chi", unmet=_dear)


def _rounded(
    name: str, form: str, side: "Side", source: str, *needs: Hypothesis, proved: bool = True
) -> Guarantee:
    """Return what a gain promises of the cost, while one side of the program holds."""
    kept = "capacities" if side == "packing" else "demands"

    def factor(instance: OnlineInstance) -> Fraction:
        from .online_facts import rounded_cost

        return rounded_cost(instance, form, side)

    statement = f"cost of a rounded plan over its relaxation, 3 G / delta, delta = 0.1; {kept} hold"
    return Guarantee(
        name=name,
        statement=statement,
        source=f"{source}; docs/theory/rounding-packing-covering.md",
        proved=proved,
        hypotheses=needs,
        factor=factor,
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
        factor=_printed,
        methods=("pd-ors",),
    ),
    Guarantee(
        name="competitive",
        statement="2 chi ((U/L)^(s/(1-s)) - 1) / s, s = 0.2, chi = 2",
        source="ours, after PD-ORS",
        proved=True,
        hypotheses=(USUAL, SMALL, SURE),
        factor=_corrected,
        methods=("pd-ors-corrected",),
    ),
    Guarantee(
        name="two-alpha",
        statement="chi max(1, ((U/L)^s - 1) / s) / (1 - chi rho); 2 alpha at most as s goes to 0",
        source="ours, after OASiS; docs/theory/oasis.md",
        proved=True,
        hypotheses=(USUAL, APART, COUNTED, SURE, CHEAP),
        factor=_sized,
        methods=("oasis",),
    ),
    Guarantee(
        name="two-alpha-printed",
        statement="2 max(1, ln U/L), of workers' and servers' prices",
        source="OASiS, as printed, without its premise that demands are tiny",
        proved=False,
        hypotheses=(USUAL, APART),
        factor=_two_alpha,
        methods=("oasis",),
    ),
    optimal_by_solver("offline"),
)
"""In the order in which `ringyard list guarantees` shows them."""
