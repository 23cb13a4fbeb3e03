"""Campaign files, some shipped with Ringyard, and the runs of methods on instances they define.

A file is one run group, or several groups that share the settings at the top.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from ..analysis.rows import BOUND
from ..instances import Instance
from ..instances.catalogue import entries, load
from ..instances.errors import InputError, Problem, RingyardError, Words, nearest, unknown
from ..instances.generate import generate, read_words
from ..instances.reading.decode import INVALID, Decoder, read_text, real
from ..instances.reading.files import INSTANCES, parse
from ..instances.reading.vocabulary import Count, Fraction01, Label, Positive, Prose, Shape, Whole
from ..methods import all_methods, families_of, find_method, twins
from .runs import Run, called


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Instances that a generator draws."""

    family: Annotated[Label, "a family of `ringyard list families`"]
    seeds: Annotated[Count, "number of instances"] = 1
    first_seed: Annotated[Whole, "seed of the first"] = 0
    set: Annotated[tuple[Label, ...], "options as `key=value`"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGroup:
    """Methods on instances, within limits. The top of the file provides missing values."""

    instances: Annotated[
        tuple[Label, ...] | None, "names of the catalogue, files, or patterns such as `small-*`"
    ] = None
    generate: Annotated[tuple[Drawn, ...] | None, "instances to draw"] = None
    methods: Annotated[
        tuple[Label, ...] | None,
        "names, with options or a solver after a colon, patterns such as `*`, or `bound`",
    ] = None
    seeds: Annotated[
        Count | None,
        "seeds of a method with random steps (default: 1). Deterministic methods run once",
    ] = None
    first_seed: Annotated[Whole | None, "the first seed (default: 0)"] = None
    repetitions: Annotated[Count | None, "repetitions of each run, for its time (default: 1)"] = (
        None
    )
    threads: Annotated[Count | None, "threads per method (default: 1)"] = None
    horizon: Annotated[Count | None, "last slot by which schedules must end"] = None
    time_limit: Annotated[
        Positive | None, "seconds after which a method must stop (default: 60)"
    ] = None
    cpu_limit: Annotated[
        Positive | None, "seconds of processor time after which a run is terminated"
    ] = None
    memory_limit: Annotated[Positive | None, "megabytes beyond which a run is terminated"] = None
    gap_limit: Annotated[
        Fraction01 | None, "relative gap between objective and bound at which a run stops"
    ] = None
    target: Annotated[Decimal | None, "objective at which a run stops"] = None
    certificates: Annotated[
        Literal["checked", "none"] | None,
        "`checked` to write and check a certificate of each bound (default: `none`)",
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFile(RunGroup):
    """A campaign file: one run group, or several groups that share the settings at the top."""

    format: Annotated[Literal["ringyard-campaign/1"], "version of the campaign format"]
    name: Annotated[Label, "name of the campaign"]
    about: Annotated[Prose, "question that the campaign answers"] = ""
    parts: Annotated[
        tuple[RunGroup, ...], "run groups with individual methods, instances or limits"
    ] = ()


TIME_LIMIT = Decimal(60)
"""Default seconds of a run."""


class GroupReader:
    """Turns a run group into runs. Problems name the group's place in the file."""

    def __init__(self, path: Path, where: str, group: RunGroup) -> None:
        """Remember the group."""
        self.path, self.where, self.group = path, where, group

    def runs(self) -> Iterator[Run]:
        """Yield a run for every method on every instance that it fits."""
        instances = [*self._named(), *self._drawn()]
        names = list(self._methods({one.kind for one in instances}))
        if not instances or not names:
            what = "methods" if instances else "instances"
            raise self._error(what, Words("none"), "at least one", f"add {what} = [..]")
        kinds = {name: set(families_of(name)) for name in names if name != BOUND}
        for name in names:
            if not any(name == BOUND or one.kind in kinds[name] for one in instances):
                known = {one.kind for one in instances}
                expected = f"a method for the family of the instances: {', '.join(sorted(known))}"
                raise self._error("methods", name, expected, "see `ringyard list methods`")
        how = cache(called)
        for instance, name in product(instances, names):
            if name == BOUND or instance.kind in kinds[name]:
                yield from self._runs(instance, name, how(name, instance.kind))

    def _runs(self, instance: Instance, name: str, how: dict[str, Any]) -> Iterator[Run]:
        group = self.group
        first, seeds = group.first_seed or 0, group.seeds or 1
        if name == BOUND or not find_method(name, instance.kind).random:
            seeds = 1
        for seed, repetition in product(range(first, first + seeds), range(group.repetitions or 1)):
            yield Run(
                instance=instance,
                **how,
                seed=seed,
                repetition=repetition,
                threads=group.threads or 1,
                horizon=None if name == BOUND else group.horizon,
                time_limit=float(group.time_limit or TIME_LIMIT),
                cpu_limit=_number(group.cpu_limit),
                memory_limit=_number(group.memory_limit),
                gap_limit=None if name == BOUND else _number(group.gap_limit),
                target=None if name == BOUND else _number(group.target),
                certificates=group.certificates == "checked",
            )

    def _named(self) -> Iterator[Instance]:
        known = [name for name, entry in entries().items() if entry.problem is None]
        for pattern in self.group.instances or ():
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
                expected = "a catalogue name, a file, or a pattern that matches instances"
                if as_file:
                    expected = "a file, or a pattern that matches files"
                    advice = f"give an existing path, relative to {self.path.parent}"
                raise self._error("instances", pattern, expected, advice)
            yield from map(_file if as_file else load, chosen)

    def _drawn(self) -> Iterator[Instance]:
        for drawn in self.group.generate or ():
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
        for pattern in self.group.methods or ():
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
        """Refuse an unknown name, and options that a method of one family lacks."""
        try:
            families = families_of(name)
            for family in [f for f in families if f in kinds] or families or sorted(kinds):
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


FILES = Path(__file__).parent / "files"


def named_campaigns() -> dict[str, Path]:
    """Return the files by name."""
    return {path.stem: path for path in sorted(FILES.glob("*.toml"))}


def about(path: Path) -> str:
    """Return the question that a campaign answers."""
    return str(tomllib.loads(path.read_text(encoding="utf-8"))["about"])


def find_campaign(what: str) -> Path:
    """Return the file of a named campaign, or the path of any other."""
    known = named_campaigns()
    path = known.get(what, Path(what))
    if path.suffix or path.exists():
        return path
    expected = f"a campaign file, or one of {', '.join(known)}"
    hint = "see `ringyard list campaigns`"
    raise InputError("ringyard run", [unknown("CAMPAIGN", what, known, hint, expected)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A campaign, ready to run."""

    name: str
    text: str
    runs: tuple[Run, ...]


def read_plan(path: Path, *, certificates: bool = False) -> Plan:
    """Read a campaign file. Raise `InputError` with its problems.

    `certificates` requests them if the file does not set the key.
    """
    text = read_text(path)
    try:
        content = tomllib.loads(text, parse_float=real)
    except (ValueError, RecursionError) as error:
        expected, advice = "a campaign file in TOML", "see docs/howto/run-a-campaign.md"
        raise InputError.of(str(path), "file", Words(str(error)), expected, advice) from None
    file = _decoded(_without_nodes(content, str(path)), str(path))
    if certificates and file.certificates is None:
        file = replace(file, certificates="checked")
    if "/" in file.name or file.name.startswith("."):
        problem = Problem("name", file.name, "no / and no leading .", "it names a folder")
        raise InputError(str(path), [problem])
    runs = list[Run]()
    for i, group in enumerate(_run_groups(file)):
        runs += GroupReader(path, f"run group {i}" if i else "file", group).runs()
    if problems := twins("methods", ((run.method, run.asked) for run in runs)):
        raise InputError(str(path), problems)
    unique = {run.key: run for run in runs}
    return Plan(name=file.name, text=text, runs=tuple(unique.values()))


def _without_nodes(content: dict[str, Any], source: str) -> dict[str, Any]:
    """Return a file with its nodes, a former key, as run groups.

    A node of type `solve` is a run group. A node of type `bound` has `bound` as its only method.

    Raises:
        InputError: If a node depends on other nodes.
    """
    if "nodes" not in content:
        return content
    nodes = content["nodes"]
    if "parts" in content or not isinstance(nodes, list) or not all(map(_stands_alone, nodes)):
        found = Words("a program of several steps")
        expected = "independent nodes of type 'solve' or 'bound', and no parts"
        advice = "write the steps as a script: docs/howto/campaign-graphs.md"
        raise InputError(source, [Problem("nodes", found, expected, advice)])
    parts = [
        {name: value for name, value in node.items() if name not in ("name", "type")}
        | ({"methods": [BOUND]} if node["type"] == "bound" else {})
        for node in nodes
    ]
    return {name: value for name, value in content.items() if name != "nodes"} | {"parts": parts}


def _stands_alone(node: Any) -> bool:
    """Return True if a node only requests runs, independent of all other nodes."""
    if not isinstance(node, dict) or node.get("type") not in ("solve", "bound"):
        return False
    return not node.keys() & {"needs", "starts", "may_fail"}


def _decoded(content: dict[str, Any], source: str) -> CampaignFile:
    decoder = Decoder()
    file: CampaignFile = decoder.value(Shape("object", entity=CampaignFile), content, "")
    if decoder.problems or file is INVALID:
        raise InputError(source, decoder.problems, decoder.more)
    return file


def _run_groups(file: CampaignFile) -> list[RunGroup]:
    """Return the run groups with the keys that they take from the top."""
    fields = list(RunGroup.__dataclass_fields__)
    top = RunGroup(**{name: getattr(file, name) for name in fields})
    given = ({name: getattr(group, name) for name in fields} for group in file.parts)
    return [
        replace(top, **{name: value for name, value in own.items() if value is not None})
        for own in given
    ] or [top]
