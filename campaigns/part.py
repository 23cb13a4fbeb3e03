"""A part of a campaign file becomes runs: its methods on its instances."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from itertools import product
from pathlib import Path
from typing import Any

from ..instances import Instance
from ..instances.catalogue import entries, load
from ..instances.errors import InputError, Problem, RingyardError, Words, nearest
from ..instances.generate import generate, read_words
from ..instances.reading.decode import read_text
from ..instances.reading.files import INSTANCES, parse
from ..methods import all_methods, families_of, find_method
from .campaign_file import CampaignPart
from .runs import BOUND, Run, called

TIME_LIMIT = Decimal(60)
"""Seconds for a run where the file does not say."""


class PartReader:
    """Turns a part into runs; problems say where in the file it stands."""

    def __init__(self, path: Path, where: str, part: CampaignPart) -> None:
        """Remember the part."""
        self.path, self.where, self.part = path, where, part

    def instances(self) -> list[Instance]:
        """Return the instances: named, drawn."""
        return [*self._named(), *self._drawn()]

    def runs(self) -> Iterator[Run]:
        """Yield a run for every method on every instance that it fits."""
        instances = self.instances()
        names = list(self._methods({one.kind for one in instances}))
        if not instances or not names:
            what = "methods" if instances else "instances"
            raise self._error(what, Words("none"), "at least one", f"add {what} = [..]")
        kinds = {name: set(families_of(name)) for name in names if name != BOUND}
        for name in names:
            if not any(name == BOUND or one.kind in kinds[name] for one in instances):
                known = {one.kind for one in instances}
                expected = f"a method of the instances' family: {', '.join(sorted(known))}"
                raise self._error("methods", name, expected, "see `ringyard list methods`")
        how = cache(called)
        for instance, name in product(instances, names):
            if name == BOUND or instance.kind in kinds[name]:
                yield from self._runs(instance, name, how(name, instance.kind))

    def _runs(self, instance: Instance, name: str, how: dict[str, Any]) -> Iterator[Run]:
        part = self.part
        first, seeds = part.first_seed or 0, part.seeds or 1
        if name == BOUND or not find_method(name, instance.kind).random:
            seeds = 1
        for seed, repetition in product(range(first, first + seeds), range(part.repetitions or 1)):
            yield Run(
                instance=instance,
                **how,
                seed=seed,
                repetition=repetition,
                threads=part.threads or 1,
                horizon=None if name == BOUND else part.horizon,
                time_limit=float(part.time_limit or TIME_LIMIT),
                cpu_limit=_number(part.cpu_limit),
                memory_limit=_number(part.memory_limit),
                gap_limit=None if name == BOUND else _number(part.gap_limit),
                target=None if name == BOUND else _number(part.target),
                certificates=part.certificates == "checked",
            )

    def _named(self) -> Iterator[Instance]:
        known = [name for name, entry in entries().items() if entry.fault is None]
        for pattern in self.part.instances or ():
            if pattern in known:
                yield load(pattern)
                continue
            as_file = "/" in pattern or pattern.endswith((".json", ".json.gz"))
            if as_file:
                folder = self.path.parent
                found = [pattern] if (folder / pattern).is_file() else []
                found += [] if found else glob(pattern, root_dir=folder, recursive=True)
                chosen = sorted(str(folder / name) for name in found)
            else:
                chosen = [name for name in known if fnmatchcase(name, pattern)]
            if not chosen:
                like = nearest(pattern, known)
                advice = f"did you mean {like!r}?" if like else "see `ringyard list instances`"
                expected = "a name of the catalogue, a file, or a pattern that fits some"
                if as_file:
                    expected = "a file, or a pattern that fits some"
                    advice = f"paths count from {self.path.parent}; name one that is there"
                raise self._error("instances", pattern, expected, advice)
            yield from map(_file if as_file else load, chosen)

    def _drawn(self) -> Iterator[Instance]:
        for drawn in self.part.generate or ():
            options = read_words(drawn.set, f"{self.path}: generate.set", "jobs=8")
            for key in sorted(options.keys() & {"family", "name", "seed"}):
                raise self._error("generate.set", key, "an option of the family", "remove it")
            for seed in range(drawn.first_seed, drawn.first_seed + drawn.seeds):
                yield self._generated(drawn.family, seed, options)

    def _generated(self, family: str, seed: int, options: dict[str, Any]) -> Instance:
        try:
            drawn: Instance = generate(family, seed=seed, **options)
        except InputError as error:
            place = f"{self.where}: generate"
            problems = [replace(one, path=f"{place}: {one.path}") for one in error.problems]
            raise InputError(str(self.path), problems) from None
        return drawn

    def _methods(self, kinds: set[str]) -> Iterator[str]:
        for pattern in self.part.methods or ():
            found = [method.name for method in all_methods() if fnmatchcase(method.name, pattern)]
            if found and pattern not in found:
                yield from found
                continue
            name = pattern
            if pattern.partition(":")[0].endswith(".py"):
                name = str(self.path.parent / pattern)
            if name != BOUND:
                self._known(name, kinds)
            yield name

    def _known(self, name: str, kinds: set[str]) -> None:
        """Refuse a name that there is not, and options that a method of one family lacks."""
        try:
            families = families_of(name)
        except InputError as error:
            raise InputError(str(self.path), list(error.problems)) from None
        for family in [f for f in families if f in kinds] or families or sorted(kinds):
            try:
                find_method(name, family)
            except InputError as error:
                raise InputError(str(self.path), list(error.problems)) from None

    def _error(self, field: str, value: Any, expected: str, advice: str) -> RingyardError:
        return InputError(
            str(self.path), [Problem(f"{self.where}: {field}", value, expected, advice)]
        )


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _file(path: str) -> Instance:
    """Return the instance of a regular file, which may be one of many that fit a pattern."""
    found: Instance = parse(read_text(Path(path), regular=True), INSTANCES, path)
    return found
