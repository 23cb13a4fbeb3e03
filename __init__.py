"""Ringyard: schedule deep-learning training rings on GPU clusters, checked and bounded.

The few names most people need; each imports its room when first used, so that
``import ringyard`` stays instant::

    import ringyard
    instance = ringyard.load("hand-theorem5")
    answer = ringyard.solve(instance, method="list-scheduling", seed=0)
    verdict = ringyard.check(instance, answer.schedule)
"""

from .version import __version__ as __version__

TYPE_CHECKING = False  # As in `typing`, whose import would take longer than all else here.

__all__ = ["RingyardError", "bound", "check", "generate", "load", "policy", "save", "solve"]

_HOMES = {
    "RingyardError": ".instances",
    "bound": ".run",
    "check": ".analysis.check",
    "generate": ".instances.generate",
    "load": ".instances.catalogue",
    "policy": ".outside",
    "save": ".instances",
    "solve": ".run",
}

if TYPE_CHECKING:
    from typing import Any

    from .analysis.check import check
    from .instances import RingyardError, save
    from .instances.catalogue import load
    from .instances.generate import generate
    from .outside import policy
    from .run import bound, solve


def __getattr__(name: str) -> "Any":
    """Import a public name from its room on first use."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'ringyard' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    """Every public name, imported or not yet."""
    return [*__all__, "__version__"]
