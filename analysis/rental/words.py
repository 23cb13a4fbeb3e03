"""How numbers of GPUs and times read: `4, 6 (40 %) or 4, 9 (60 %)`, `20 min`."""

from ...instances import Choice, TypePlan


def gpus_text(gpus: float) -> str:
    """Write a number of GPUs with at most three decimals, and small ones with four digits."""
    return f"{gpus:,.3f}".rstrip("0").rstrip(".") if gpus >= 0.1 else f"{gpus:.4g}"


def counted_gpus(gpus: float) -> str:
    """Write a number of GPUs with their name."""
    text = gpus_text(gpus)
    return f"{text} GPU" if text == "1" else f"{text} GPUs"


def plan_text(plan: TypePlan) -> str:
    """Write what jobs of a type get, epoch by epoch; what some of them get, with their share."""
    if len(plan.choices) == 1:
        return _choice(plan.choices[0])
    ways = [f"{_choice(one)} ({100 * float(one.share):.3g} %)" for one in plan.choices]
    return " or ".join(ways)


def _choice(choice: Choice) -> str:
    """Write the widths of a choice, once if they are the same throughout."""
    texts = [
        gpus_text(float(one.gpus)) + (f" for {100 * float(one.part):.3g} %" if one.part < 1 else "")
        for one in choice.stretches
    ]
    return texts[0] if len({one.gpus for one in choice.stretches}) == 1 else ", ".join(texts)


def time_text(hours: float) -> str:
    """Write a time with four digits, in the unit that suits it."""
    if hours >= 2:
        return f"{hours:,.4g} h"
    return f"{60 * hours:.4g} min" if hours >= 1 / 30 else f"{3600 * hours:.4g} s"
