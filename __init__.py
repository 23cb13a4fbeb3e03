"""Ringyard: schedule deep-learning training rings on GPU clusters, checked and bounded.

The names that people use; each imports its room when first used, so that ``import ringyard``
stays instant::

    import ringyard
    instance = ringyard.load("hand-theorem5")
    answer = ringyard.solve(instance, method="list-scheduling", seed=0)
    verdict = ringyard.check(instance, answer.schedule)
"""

from .version import __version__ as __version__

TYPE_CHECKING = False  # As in `typing`, whose import would take longer than all else here.

__all__ = [
    "Answer",
    "Bound",
    "Campaign",
    "InputError",
    "Instance",
    "Limits",
    "MissingError",
    "Outcome",
    "RefusedError",
    "RingyardError",
    "Schedule",
    "bound",
    "check",
    "coded",
    "collect",
    "evaluate",
    "fleet",
    "generate",
    "list_instances",
    "list_methods",
    "load",
    "load_campaign",
    "load_schedule",
    "makespan",
    "online",
    "plot",
    "policy",
    "rental",
    "reserved",
    "save",
    "shuffle",
    "solve",
    "trace",
    "transfers",
]

_HOMES = {
    ".analysis.check": "check",
    ".campaigns.campaign": "Campaign collect load_campaign",
    ".evaluation.evaluate": "evaluate",
    ".instances": "Bound InputError Instance Limits MissingError Outcome RefusedError "
    "RingyardError Schedule=AnySchedule load_schedule save",
    ".instances.catalogue": "list_instances load",
    ".instances.coded": "coded",
    ".instances.fleet": "fleet",
    ".instances.makespan": "makespan",
    ".instances.online": "online",
    ".instances.rental": "rental",
    ".instances.reserved": "reserved",
    ".instances.shuffle": "shuffle",
    ".instances.trace": "trace",
    ".instances.transfers": "transfers",
    ".instances.generate": "generate",
    ".methods": "list_methods",
    ".extensions": "policy",
    ".run": "Answer bound solve",
}
"""By the file that has them: names, with what one is called there if that differs."""

if TYPE_CHECKING:
    from typing import Any

    from . import plot
    from .analysis.check import check
    from .campaigns.campaign import Campaign, collect, load_campaign
    from .evaluation.evaluate import evaluate
    from .extensions import policy
    from .instances import (
        AnySchedule as Schedule,
    )
    from .instances import (
        Bound,
        InputError,
        Instance,
        Limits,
        MissingError,
        Outcome,
        RefusedError,
        RingyardError,
        load_schedule,
        save,
    )
    from .instances.catalogue import list_instances, load
    from .instances.coded import coded
    from .instances.fleet import fleet
    from .instances.generate import generate
    from .instances.makespan import makespan
    from .instances.online import online
    from .instances.rental import rental
    from .instances.reserved import reserved
    from .instances.shuffle import shuffle
    from .instances.trace import trace
    from .instances.transfers import transfers
    from .methods import list_methods
    from .run import Answer, bound, solve

_NAMES = {
    name.partition("=")[0]: (home, name.rpartition("=")[2])
    for home, names in _HOMES.items()
    for name in names.split()
}


def __getattr__(name: str) -> "Any":
    """Import a public name from its room on first use."""
    from importlib import import_module

    if name == "plot":
        return import_module(".plot", __name__)
    if name not in _NAMES:
        import sys

        error_text = f"module 'ringyard' has no attribute {name!r}"
        # Python names one like it.
        raise AttributeError(error_text, name=name, obj=sys.modules[__name__])
    home, own = _NAMES[name]
    return getattr(import_module(home, __name__), own)


def __dir__() -> list[str]:
    """Every public name, imported or not yet."""
    return [*__all__, "__version__"]
