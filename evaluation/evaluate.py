"""Evaluation of a method: a suite's instances, judged runs of it and the baselines, and scores.

FunSearch (Romera-Paredes et al., 2024) leaves the sandbox to its user. Here it is part of the
command. As at Kaggle and in the NeurIPS competition ML4CO, scores are from unseen instances. A
failure gets the minimum score: users of OpenEvolve report that a timed-out program got a default
above actual scores.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

from ..families import FAMILIES, Suite
from ..instances import Bound, Instance, RefusedError, digest
from ..instances import Limits as Unlimited
from ..instances.arguments import at_least_one, seed_problems, time_limit_problems
from ..instances.errors import InputError, Problem, Words, raise_any, shown, unknown
from ..instances.generate import generate
from ..instances.reading.encode import as_number
from ..run import ContradictionError
from .bench import Bench, Candidate, Judged, RunLimits, bench, candidate, shown_to
from .score import Evaluation, twin
from .suites import TRAINING, Key, baselines_of, find_suite, hidden_key, no_secret

Seeds = Literal["training", "hidden"]

Reference = tuple[list[Bound], dict[str, list[Judged]]]

PROBLEM = re.compile(r"(.+?): found (.+), expected (.+?)\. (.+)", re.DOTALL)
"""Text of a `Problem` from a process that could not load a method."""

_KNOWN: dict[Any, Reference] = {}
"""Bounds and baselines cached in this process, because a search requests them repeatedly."""


def evaluate(
    method: str | Callable[..., Any],
    suite: str | Suite = "makespan",
    *,
    seeds: Seeds | None = None,
    secret: str | Path | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    baselines: Sequence[str] | None = None,
    workers: int | None = None,
    strict: bool = False,
    outputs: Sequence[Path] = (),
    watch: Callable[[int], object] = id,
) -> Evaluation:
    """Score a method on a suite of instances, compared with its baselines.

    The method, a name or a function in a file, runs in processes that are isolated as far as the
    system allows. Its plans are judged here. Seeds are hidden if there is a secret in a file or the
    environment, and otherwise for training. With `strict`, the method does not run if a guard is
    missing. `outputs` are files and folders to be written and hidden from the method. `watch`
    receives the number of finished runs.

    Raises:
        InputError: If the suite or method does not exist, or the secret is weak or readable.
        RefusedError: If `strict` guards are missing, or no sandbox can be created.
    """
    raise_any("evaluate", number_problems(seed, time_limit, memory_limit, workers))
    chosen = find_suite(suite) if isinstance(suite, str) else suite
    key = _key(seeds, secret)
    limits = RunLimits(
        seed=seed,
        time_s=time_limit or chosen.time_limit,
        memory_mb=memory_limit or chosen.memory_limit,
        strict=strict,
    )
    one = candidate(method, chosen.kind)
    names = baselines_of(chosen, method, baselines)
    others = [candidate(name, chosen.kind) for name in names]
    if key.hidden:
        _refuse_seen(one, [key.file] if key.file else [], "the secret")
        _refuse_seen(one, outputs, "output about hidden instances")
    instances, done = drawn(chosen, key), count(1)

    def report() -> None:
        watch(next(done))

    with bench(limits, workers) as runs:
        own = _asked(one, key, instances, runs, report)
        bounds, known = _reference(chosen, limits, others, key, instances, runs, report)
        twins = runs.run(one, list(filter(None, map(twin, instances))), lambda: None)
    found = Evaluation(
        suite=chosen,
        key=key,
        limits=limits,
        method=one,
        instances=instances,
        bounds=bounds,
        runs=own,
        twins=twins,
        baselines=known,
    )
    _refuse_crossed(found)
    return found


def number_problems(seed: Any, time_limit: Any, memory_limit: Any, workers: Any) -> list[Problem]:
    """Return the errors of the requested numbers."""
    problems = seed_problems(seed, "seed") + time_limit_problems(time_limit, "time_limit")
    problems += at_least_one("workers", workers)
    enough = hasattr(memory_limit, "__float__") and memory_limit >= 200
    if memory_limit is not None and not enough:
        advice = "give more megabytes: Python and its packages need about 100"
        problems.append(Problem("memory_limit", memory_limit, "200 or more", advice))
    return problems


def drawn(suite: Suite, key: Key) -> list[Instance]:
    """Return the instances of a suite, without their seeds."""
    made = []
    for index, recipe in enumerate(suite.drawn):
        name, options = f"{suite.name}-{index:02}", dict(recipe.options)
        one = generate(recipe.family, seed=key.seed(suite, index), name=name, **options)
        made.append(replace(one, source=""))
    return made


def _key(seeds: Seeds | None, secret: str | Path | None) -> Key:
    """Return the key of the seeds."""
    if seeds not in (None, *get_args(Seeds)):
        raise InputError("evaluate", [unknown("seeds", str(seeds), get_args(Seeds), "name one")])
    if seeds == "training":
        return TRAINING
    found = hidden_key(None if secret is None else Path(secret))
    if found is None and seeds == "hidden":
        raise no_secret()
    return found or TRAINING


def _reference(
    suite: Suite,
    limits: RunLimits,
    others: Sequence[Candidate],
    key: Key,
    instances: Sequence[Instance],
    runs: Bench,
    report: Callable[[], None],
) -> Reference:
    """Return bounds and baseline results, cached in this process."""
    family = FAMILIES[suite.kind]
    sources = (*(one.asked for one in others), *(one.source for one in others))
    place = (suite.name, suite.version, limits, sources, *map(digest, instances))
    if place in _KNOWN:
        return _KNOWN[place]
    known = {one.name: _asked(one, key, instances, runs, report) for one in others}
    bounds = [
        family.strong(one, Unlimited(), None)
        if suite.strong
        else family.bounds(one, Unlimited())[0]
        for one in instances
    ]
    _KNOWN[place] = bounds, known
    return _KNOWN[place]


def _refuse_seen(one: Candidate, files: Sequence[Path], what: str) -> None:
    """Refuse that a method can read a file."""
    for file in files:
        for folder in shown_to(one):
            if file.resolve().is_relative_to(folder.resolve()):
                found = Words(f"{file}, in {folder}, which the method can read")
                advice = f"keep {what} in another folder"
                raise InputError("evaluate", [Problem("file", found, "a place apart", advice)])


def _asked(
    one: Candidate, key: Key, instances: Sequence[Instance], runs: Bench, report: Callable[[], None]
) -> list[Judged]:
    """Return the judged runs of a method. Raise an error if it refuses all instances."""
    found = runs.run(one, instances, report)
    statuses = {run.status for run in found}
    words = "a hidden reason, which `--seeds training` reports" if key.hidden else found[0].words
    if statuses == {"refused"}:
        raise RefusedError(f"{one.name} refuses all instances: {shown(words, 500)}")
    if statuses == {"unusable"}:
        parts = PROBLEM.fullmatch(words)
        place, *rest = parts.groups() if parts else ("method", words, "a method", "correct it")
        raise InputError("evaluate", [Problem(place, Words(rest[0]), *rest[1:])])
    return found


def _refuse_crossed(found: Evaluation) -> None:
    """Raise an error if a valid schedule is better than a proved bound allows."""
    named = {found.method.name: found.runs, **found.baselines}
    for name, runs in named.items():
        for instance, run, bound in zip(found.instances, runs, found.bounds, strict=True):
            if run.value is not None and found.family.better(run.value, bound.value):
                raise ContradictionError(
                    f"{instance.name}: {name} gave a valid {found.family.objective} of "
                    f"{as_number(run.value)}, beyond the bound {as_number(bound.value)} "
                    f"({bound.argument}). Please report this."
                )
