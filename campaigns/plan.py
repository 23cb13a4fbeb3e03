"""Campaign files: which methods on which instances, and the runs that this makes."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from glob import glob
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from ..instances import Instance
from ..instances.catalogue import entries, load
from ..instances.decode import FAULTY, Decoder
from ..instances.errors import InputError, Problem, RingyardError, Words, nearest, reason
from ..instances.generate import generate
from ..instances.options import read_words
from ..instances.shape import Shape
from ..instances.vocabulary import Count, Label, Positive, Prose, Whole
from ..methods import METHODS, find_method
from .runs import BOUND, Run

TIME_LIMIT = Decimal(60)
"""Seconds for a run where the file does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Instances that a generator draws."""

    family: Annotated[Label, "a family of `ringyard list families`"]
    seeds: Annotated[Count, "how many instances"] = 1
    first_seed: Annotated[Whole, "seed of the first"] = 0
    set: Annotated[tuple[Label, ...], "options as `key=value`"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Methods on instances, within limits; what is left out is taken from the top of the file."""

    instances: Annotated[
        tuple[Label, ...] | None, "names of the catalogue, files, or patterns such as `small-*`"
    ] = None
    generate: Annotated[tuple[Drawn, ...] | None, "instances to draw"] = None
    methods: Annotated[
        tuple[Label, ...] | None,
        "names, with options or a solver behind a colon; patterns such as `*`; `bound`",
    ] = None
    seeds: Annotated[
        Count | None, "seeds of a method that draws lots, 1 if not said; others run once"
    ] = None
    first_seed: Annotated[Whole | None, "the first of them, 0 if not said"] = None
    repetitions: Annotated[
        Count | None, "how often each run is done, for its time; once if not said"
    ] = None
    threads: Annotated[Count | None, "threads a method may use, 1 if not said"] = None
    horizon: Annotated[Count | None, "only schedules that end by this slot count"] = None
    time_limit: Annotated[
        Positive | None, "seconds after which a method is to stop, 60 if not said"
    ] = None
    cpu_limit: Annotated[Positive | None, "seconds of processor time that end a run"] = None
    memory_limit: Annotated[Positive | None, "megabytes that end a run"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFile(Part):
    """A campaign file: one part, or several that share what stands at the top."""

    format: Annotated[Literal["ringyard-campaign/1"], "version of the campaign format"]
    name: Annotated[Label, "what the campaign is called"]
    about: Annotated[Prose, "what it is to find out"] = ""
    parts: Annotated[tuple[Part, ...], "parts with methods, instances, limits of their own"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A campaign, ready to run."""

    name: str
    text: str
    runs: tuple[Run, ...]


def read_plan(path: Path) -> Plan:
    """Read a campaign file; raise `InputError` with what is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text, parse_float=Decimal)
    except (OSError, ValueError, RecursionError) as error:
        found = reason(error) if isinstance(error, OSError) else Words(str(error))
        problem = Problem("file", found, "a campaign file in TOML", "see docs/campaigns.md")
        raise InputError(str(path), [problem]) from None
    file = _decoded(content, str(path))
    if "/" in file.name or file.name.startswith("."):
        problem = Problem("name", file.name, "no / and no . in front", "it names a folder")
        raise InputError(str(path), [problem])
    runs = [run for i, part in enumerate(_parts(file)) for run in _Reader(path, i, part).runs()]
    unique = {run.key: run for run in runs}
    return Plan(name=file.name, text=text, runs=tuple(unique.values()))


def _decoded(content: dict[str, Any], source: str) -> CampaignFile:
    decoder = Decoder()
    file: CampaignFile = decoder.value(Shape("object", noun=CampaignFile), content, "")
    if decoder.problems or file is FAULTY:
        raise InputError(source, decoder.problems, decoder.more)
    return file


def _parts(file: CampaignFile) -> list[Part]:
    """Return the parts with what they take from the top."""
    fields = list(Part.__dataclass_fields__)
    top = Part(**{name: getattr(file, name) for name in fields})
    if not file.parts:
        return [top]
    given = [
        {name: getattr(part, name) for name in fields if getattr(part, name) is not None}
        for part in file.parts
    ]
    return [replace(top, **some) for some in given]


class _Reader:
    """Turns a part into runs; problems name the part."""

    def __init__(self, path: Path, number: int, part: Part) -> None:
        self.path, self.part, self.where = path, part, f"part {number}" if number else "file"

    def runs(self) -> Iterator[Run]:
        instances = [*self._named(), *self._drawn()]
        names = list(self._methods({one.kind for one in instances}))
        if not instances or not names:
            what = "methods" if instances else "instances"
            raise self._error(what, Words("none"), "at least one", f"add {what} = [..]")
        for name in names:
            fitting = [one for one in instances if name == BOUND or _fits(name, one)]
            if not fitting:
                known = {one.kind for one in instances}
                expected = f"a method of the instances' family: {', '.join(sorted(known))}"
                raise self._error("methods", name, expected, "see `ringyard list methods`")
        for instance, name in product(instances, names):
            if name == BOUND or _fits(name, instance):
                yield from self._runs(instance, name)

    def _runs(self, instance: Instance, name: str) -> Iterator[Run]:
        part = self.part
        first, seeds = part.first_seed or 0, part.seeds or 1
        if name == BOUND or not find_method(name, instance.kind).random:
            seeds = 1
        for seed, repetition in product(range(first, first + seeds), range(part.repetitions or 1)):
            yield Run(
                instance=instance,
                method=name,
                seed=seed,
                repetition=repetition,
                threads=part.threads or 1,
                horizon=None if name == BOUND else part.horizon,
                time_limit=float(part.time_limit or TIME_LIMIT),
                cpu_limit=_number(part.cpu_limit),
                memory_limit=_number(part.memory_limit),
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
                chosen: list[str | Path] = sorted(folder / name for name in found)
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
            yield from map(load, chosen)

    def _drawn(self) -> Iterator[Instance]:
        for drawn in self.part.generate or ():
            options = read_words(drawn.set, f"{self.path}: generate.set", "jobs=8")
            for key in sorted(options.keys() & {"family", "name", "seed"}):
                raise self._error("generate.set", key, "an option of the family", "remove it")
            for seed in range(drawn.first_seed, drawn.first_seed + drawn.seeds):
                yield generate(drawn.family, seed=seed, **options)

    def _methods(self, kinds: set[str]) -> Iterator[str]:
        for pattern in self.part.methods or ():
            found = [method.name for method in METHODS if fnmatchcase(method.name, pattern)]
            if found and pattern not in found:
                yield from found
                continue
            if pattern != BOUND:
                self._known(pattern, kinds)
            yield pattern

    def _known(self, name: str, kinds: set[str]) -> None:
        """Refuse a name that there is not, and options that a method of one family lacks."""
        plain = name.partition(":")[0]
        families = [method.family for method in METHODS if method.name == plain]
        for family in [f for f in families if f in kinds] or families or ["makespan"]:
            try:
                find_method(name, family)
            except InputError as error:
                raise InputError(str(self.path), list(error.problems)) from None

    def _error(self, field: str, value: Any, expected: str, advice: str) -> RingyardError:
        return InputError(
            str(self.path), [Problem(f"{self.where}: {field}", value, expected, advice)]
        )


def _fits(name: str, instance: Instance) -> bool:
    plain = name.partition(":")[0]
    return any(method.name == plain and method.family == instance.kind for method in METHODS)


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
