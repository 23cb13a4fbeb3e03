"""Runs of methods on a suite's instances, each in a separate process and judged here."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..analysis.check.judge import check
from ..campaigns.executors.local import LocalExecutor
from ..campaigns.executors.sandbox import PACKAGE, own_places
from ..campaigns.runs import Task
from ..extensions.entry_points import named
from ..extensions.loading import digest_of
from ..extensions.method import GROUP, is_extension
from ..extensions.programs import program_point
from ..families.registry import family_of
from ..instances import Instance, RefusedError
from ..instances.errors import InputError, Problem, Words
from ..instances.reading.encode import digest, to_text
from ..instances.reading.files import SCHEDULES, parse
from ..methods import all_methods, find_method, parts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A method to evaluate: its name, its reference for other processes, and its code's place."""

    name: str
    asked: str
    source: str | None = None
    """A digest of the code, of one that is not of this package."""
    folder: Path | None = None
    """The folder from which it is imported, None if it is installed."""
    file: Path | None = None
    """Its file there, which may be a link to one elsewhere."""

    @property
    def places(self) -> list[Path]:
        """The paths that a run has to see: the folder, and each file that its file links to."""
        file, seen = self.file, [self.folder]
        while file is not None and file.is_symlink():
            file = file.parent / file.readlink()
            seen.append(file)
        return list(filter(None, seen))


def candidate(method: str | Callable[..., Any], kind: str) -> Candidate:
    """Return the candidate that a name or a function is, for instances of a family."""
    if not isinstance(method, str):
        method = _place(method)
    words = parts_of(method)
    own = words[0] in {one.name for one in all_methods(kind)}
    installed = words[0] in named(GROUP) or program_point(words[0]) is not None
    if own or not (is_extension(words) or installed):
        return Candidate(name=find_method(method, kind).name, asked=method)
    if installed:
        return Candidate(name=method, asked=method)
    file, folder = _file(words[0])
    place = str(file) if words[0].endswith(".py") else words[0]
    name = words[1] if len(words) > 1 else None
    return Candidate(
        name=":".join([Path(words[0]).name, *words[1:]]),
        asked=":".join([place, *words[1:]]),
        source=_digest(file, name),
        folder=folder,
        file=file,
    )


def _digest(file: Path, name: str | None) -> str:
    try:
        return digest_of(file, name)
    except (RecursionError, MemoryError):
        problem = Problem("method", str(file), "readable code", "flatten it")
        raise InputError("method", [problem]) from None


def _file(place: str) -> tuple[Path, Path]:
    """Return the file and folder of ``file.py`` or ``module``, without executing either."""
    if place.endswith(".py"):
        file = Path(place)
        file = file.parent.resolve() / file.name
        folder = file.parent
    else:
        first, *rest = place.split(".")
        here = [Path.cwd() / f"{first}.py", Path.cwd() / first / "__init__.py"]
        spec = find_spec(first)
        origin = next(filter(Path.is_file, here), Path((spec and spec.origin) or here[0]))
        file = origin.parent.joinpath(*rest).with_suffix(".py") if rest else origin
        folder = origin.parent.parent if origin.name == "__init__.py" else origin.parent
    if not file.is_file():
        advice = "check the path, or install the module"
        raise InputError("method", [Problem("method", place, "a file of Python code", advice)])
    return file, folder


def _place(function: Callable[..., Any]) -> str:
    """Return ``file.py:name`` of a function: another process has to find it there."""
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        file = None
    if file is None or not Path(file).is_file() or not name.isidentifier():
        expected = "a named function defined in a file"
        advice = "write it to a file, because a separate process loads it from there"
        raise InputError("evaluate", [Problem("method", Words(name), expected, advice)])
    return f"{file}:{name}"


HIDDEN = (PACKAGE / "instances" / "data",)
"""Folders that no run sees: the catalogue, with the best that is known."""

WORDS = 2000
"""Maximum number of characters kept of a message from a run."""

Report = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A run as the evaluator judged it. Of its process's reports, only plans are used."""

    status: str
    """`valid`, `invalid`, `no plan`, or how it failed."""
    value: Fraction | None = None
    schedule: Any = None
    verdict: Any = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    memory_mb: float | None = None
    remarks: tuple[str, ...] = ()
    """Remarks of the evaluator."""
    words: str = ""
    """Messages of the method or its process, and errors of its plan."""
    guards: Mapping[str, bool] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """True if there is a schedule that the judge accepts."""
        return self.status == "valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """The time and memory that a run may take."""

    seed: int
    time_s: float
    memory_mb: float
    strict: bool = False
    """True if a method must not run without every guard."""


class Bench:
    """Does runs, as many side by side as there are slots."""

    def __init__(self, executor: LocalExecutor, scratch: Path, limits: RunLimits) -> None:
        """Store the executor and its settings."""
        self._executor, self._scratch, self._limits = executor, scratch, limits
        self._count = 0

    def run(self, one: Candidate, instances: Sequence[Instance], report: Report) -> list[Judged]:
        """Return the judged runs of a method on some instances.

        Raises:
            RefusedError: If a process refused before it read any of the method.
        """
        waiting = list(range(len(instances)))
        found: dict[int, Judged] = {}
        under_way: dict[str, int] = {}
        while len(found) < len(instances):
            while waiting and len(under_way) < self._executor.slots:
                index = waiting.pop(0)
                task = self._task(one, instances[index])
                under_way[task["key"]] = index
                self._executor.submit(task)
            for finished in self._executor.finished(0.5):
                index = under_way.pop(finished.key)
                if finished.columns["status"] == "unguarded":
                    raise RefusedError(finished.columns["note"])
                found[index] = judged(instances[index], finished.columns)
                report()
        return [found[index] for index in range(len(instances))]

    def _task(self, one: Candidate, instance: Instance) -> Task:
        """Return all that the process of a run is given."""
        self._count += 1
        scratch = self._scratch / str(self._count)
        scratch.mkdir()
        guard = {
            "shown": [str(path) for path in shown_to(one)],
            "hidden": [str(path) for path in HIDDEN],
            "scratch": str(scratch),
            "folder": str(one.folder or ""),
            "strict": self._limits.strict,
        }
        return {
            "key": str(self._count),
            "digest": digest(instance),
            "text": to_text(instance),
            "name": instance.name,
            "method": one.asked,
            "seed": self._limits.seed,
            "time_limit": self._limits.time_s,
            "memory_limit": self._limits.memory_mb,
            "guard": guard,
        }


@contextmanager
def bench(limits: RunLimits, workers: int | None) -> Iterator[Bench]:
    """Yield a bench and clean up afterwards."""
    with TemporaryDirectory(prefix="ringyard-") as scratch:
        executor = LocalExecutor(workers, grace_s=0.0, guarded=True)
        try:
            yield Bench(executor, Path(scratch), limits)
        finally:
            executor.close()


def shown_to(one: Candidate) -> list[Path]:
    """Return the folders and files that a run may read in addition to the system's."""
    return [*own_places(), *one.places]


def judged(instance: Instance, columns: Mapping[str, Any]) -> Judged:
    """Judge the plans of a run, and return the best valid one."""
    family, best, wrong, words = family_of(instance), None, "", [columns.get("note", "")]
    for text in columns.get("plans", ()):
        try:
            kinds = {f"{instance.kind}-schedule": SCHEDULES[f"{instance.kind}-schedule"]}
            schedule = parse(text, kinds, "its plan")
        except InputError as error:
            wrong = "its plan cannot be read"
            words.append(str(error.problems[0]))
            continue
        verdict = check(instance, schedule)
        if not verdict.valid or verdict.objective is None:
            wrong = _broken(verdict)
            words += [f"{one.rule} at {one.where}" for one in verdict.violations[:3]]
        elif best is None or family.better(verdict.objective, best[1].objective):
            best = (schedule, verdict)
    remarks = [wrong] if wrong else []
    if columns.get("changed"):
        remarks.append("it changed its instance, and its plan was judged against the original")
    if columns.get("left_behind"):
        remarks.append("it left processes behind, which were terminated")
    status = columns["status"] if columns["status"] != "answered" else "no plan"
    if best is not None or (wrong and status == "no plan"):
        status = "invalid" if best is None else "valid"
    schedule, verdict = best or (None, None)
    return Judged(
        status=status,
        value=verdict and verdict.objective,
        schedule=verdict and family.claimed(schedule, verdict),
        verdict=verdict,
        seconds=columns.get("seconds"),
        cpu_seconds=columns.get("cpu_seconds"),
        memory_mb=columns.get("memory_mb"),
        remarks=tuple(remarks),
        words="; ".join(filter(None, words))[:WORDS],
        guards=columns.get("guards") or {},
    )


def _broken(verdict: Any) -> str:
    """Report the errors of a plan without quoting it."""
    rules = ", ".join(dict.fromkeys(one.rule for one in verdict.violations))
    return f"its plan breaks rules: {rules}" if rules else "its plan has no value"
