"""What the runner refuses before it begins: arguments, and what a method cannot do."""

from typing import Any

from ..families import family_of
from ..instances import Instance, RefusedError
from ..instances.arguments import (
    aim_problems,
    at_least_one,
    instance_problems,
    seed_problems,
    time_limit_problems,
)
from ..instances.errors import ABSENT, InputError, Problem, raise_any
from ..methods import Method, all_methods


def refuse_arguments(
    instance: Any, seed: Any, time_limit: Any, threads: Any, horizon: Any, aims: dict[str, Any]
) -> None:
    """Raise an error that says what to write, where a text stands for an instance, say."""
    problems = list(instance_problems(instance))
    problems += seed_problems(seed, "seed") + at_least_one("threads", threads, given=True)
    problems += at_least_one("horizon", horizon)
    problems += [*time_limit_problems(time_limit, "time_limit", none=True), *aim_problems(**aims)]
    raise_any("ringyard.solve", problems)


def refuse_request(
    chosen: Method,
    instance: Instance,
    horizon: int | None,
    start: Any,
    keep_before: int | None,
) -> None:
    """Raise an error if a method cannot do what is asked for."""
    family = family_of(instance)
    if horizon is not None and not family.horizon:
        expected = f"none for {instance.kind!r} instances"
        problem = Problem("horizon", horizon, expected, "leave it out")
        raise InputError(instance.name, [problem])
    reason = family.refusal(instance) or chosen.refuses(instance)
    if keep_before is not None and start is None:
        advice = "give the plan as start as well"
        raise InputError("keep_before", [Problem("start", ABSENT, "a plan to keep", advice)])
    asked = "keeps" if keep_before is not None else "starts"
    if start is not None and not getattr(chosen, asked):
        able = ", ".join(one.name for one in all_methods(family.kind) if getattr(one, asked))
        told = f"of this family these can: {able}" if able else "no method of this family can"
        what = "plan around what has begun" if asked == "keeps" else "begin with a schedule"
        reason = f"{chosen.name} cannot {what}; {told}"
    if reason:
        raise RefusedError(f"{instance.name}: {reason}")
