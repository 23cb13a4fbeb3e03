"""The table of contents: every method by name, with its family, kind, source and guarantee."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .instances.errors import InputError, Problem, nearest

if TYPE_CHECKING:
    from .instances import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to answer instances of a family; its code is imported when it is used."""

    name: str
    family: str
    kind: str
    module: str
    about: str
    source: str
    guarantee: str = "none"
    random: bool = False

    @property
    def run(self) -> "Callable[..., Outcome]":
        """The function ``run(instance, limits, rng) -> Outcome``."""
        found: Callable[..., Outcome] = self._load().run
        return found

    def refuses(self, instance: Any) -> str | None:
        """Say why the method cannot treat `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} treats {self.family!r} instances, not {instance.kind!r} ones"
        check = getattr(self._load(), "refuses", None)
        reason: str | None = check(instance) if check else None
        return reason

    def _load(self) -> Any:
        return import_module(self.module, __package__)


METHODS: tuple[Method, ...] = (
    Method(
        name="gang-lpt",
        family="makespan",
        kind="policy",
        module=".policies.gang_lpt",
        about="longest job first, packed into one server where it fits, overtaking allowed",
        source="Graham 1969, for gangs",
    ),
    Method(
        name="first-fit",
        family="makespan",
        kind="policy",
        module=".policies.first_fit",
        about="the first idle GPUs, server by server, under a searched load limit",
        source="baseline FF of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="list-scheduling",
        family="makespan",
        kind="policy",
        module=".policies.list_scheduling",
        about="the least loaded idle GPUs of the cluster, under a searched load limit",
        source="baseline LS of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="random",
        family="makespan",
        kind="policy",
        module=".policies.random_fit",
        about="any idle GPUs, with the horizon as load limit",
        source="baseline RAND of SJF-BCO (arXiv 2207.07817)",
        random=True,
    ),
    Method(
        name="enumeration",
        family="makespan",
        kind="search",
        module=".search.enumerate",
        about="every schedule of a tiny instance in slotted time, idling included",
        source="ours",
        guarantee="optimal",
    ),
)

DEFAULTS = {"makespan": "gang-lpt"}
"""The method used for a family when none is named."""


def find_method(name: str | None, family: str) -> Method:
    """Return a method by name, or the family's default."""
    known = {method.name: method for method in METHODS}
    wanted = DEFAULTS[family] if name is None else name
    if wanted not in known:
        like = nearest(wanted, list(known))
        advice = f"did you mean {like!r}?" if like else "see `ringyard list methods`"
        expected = "one of " + ", ".join(known)
        raise InputError("--method", [Problem("method", wanted, expected, advice)])
    return known[wanted]
