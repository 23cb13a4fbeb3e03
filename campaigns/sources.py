"""Sources other than rows for the tables, figures and report of a campaign."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..analysis.guarantees import Guarantee
from ..analysis.rows import BOUND, Row
from ..analysis.sources import Sources
from ..families import family_of
from ..instances import AnySchedule, Instance
from ..instances.errors import InputError
from ..methods import Method, all_methods, find_method, parts_of
from .store import Store


def sources(
    instance: Callable[[str], Instance | None], schedule: Callable[[Row], AnySchedule | None]
) -> Sources:
    """Return the sources that know the methods of rows, and the instances and schedules."""
    seedless = {method.name for method in all_methods() if not method.random}

    def exact(row: Row) -> bool:
        if row.get("source"):
            return False
        # No option changes what a method promises, and reading options would import the method.
        method = _method(parts_of(row["method"])[0], row["family"])
        return method is None or method.guarantee == "optimal"

    def random(row: Row) -> bool:
        if row.get("random") is None:  # Rows of before do not say it.
            return row["method"].partition(":")[0] not in seedless
        return bool(row["random"])

    return Sources(instance=instance, schedule=schedule, unmet=_unmet, exact=exact, random=random)


def stored(store: Store, report: Callable[[str], object]) -> Sources:
    """Return the sources in a campaign's folder, reporting damage once."""
    seen = set[str]()

    def tried(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def found(key: Any) -> Any:
            try:
                return read(key)
            except InputError as error:
                if str(error) not in seen:
                    seen.add(str(error))
                    report(f"left out: {error}")
                return None

        return found

    found = sources(lru_cache(maxsize=64)(tried(store.instance)), tried(store.schedule))
    return replace(found, methods=methods_of(store.wanted()))


def methods_of(rows: Iterable[Row]) -> frozenset[str]:
    """Return the methods of rows, without rows that only have a bound."""
    return frozenset(row["method"] for row in rows) - {BOUND}


def _method(name: str, family: str) -> Method | None:
    """Return the method of a name, None if its row is from an incompatible version."""
    try:
        return find_method(name, family)
    except InputError:
        return None


def _unmet(guarantee: Guarantee, row: Row, instance: Any) -> str | None:
    """Return the unmet hypothesis on instance, options or run."""
    method = _method(row["method"], row["family"])
    if method is None:
        return "there is no such method"
    reason = guarantee.unmet(instance, method.options)
    if reason is None:
        return family_of(instance).premise(guarantee.name, instance, row["seed"])
    return reason
