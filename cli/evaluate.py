"""`ringyard evaluate`: the score of a method, for people and for automated search."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..instances.errors import Problem, raise_any
from .shared.options import AsJson, Flag, Whole, is_standard, place_problems, write, written
from .shared.output import cell, emit, percent, say, table
from .shared.progress import counting

if TYPE_CHECKING:
    from ..evaluation.score import Evaluation


def evaluate_command(
    method: str,
    /,
    *,
    suite: str = "makespan",
    seeds: Literal["training", "hidden"] | None = None,
    secret: Path | None = None,
    seed: Whole = 0,
    baselines: str | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    workers: Whole | None = None,
    metrics: str | None = None,
    strict: Flag = False,
    out: Path | None = None,
    artefacts: Path | None = None,
    json: AsJson = False,
) -> int:
    """Score a method on a suite of instances, relative to baselines.

    Each run has a separate process without access to files, the network and other processes, as
    far as the system supports it. The judge checks every plan.

    Parameters
    ----------
    method
        A name from `ringyard list methods`, or FILE.py:FUNCTION.
    suite
        A name from `ringyard list suites`.
    seeds
        Use training or hidden instances (default: hidden, if there is a secret).
    secret
        The file with the secret of the hidden seeds (default: RINGYARD_EVALUATION_SECRET).
    seed
        Seed of the method's random steps.
    baselines
        Baseline methods, separated by commas (default: those of the suite).
    time_limit
        Seconds after which a run is killed (default: as in the suite).
    memory_limit
        Megabytes for each run (default: as in the suite).
    workers
        Parallel runs (default: one per processor).
    metrics
        Further columns, separated by commas, such as p95_queueing_s,group_fairness: numbers of the
        rows of campaigns. --json has all.
    strict
        Refuse to run the method if a guard of the sandbox is missing. The last line of a result
        names the guards.
    out
        Write the result to this file, as one JSON object.
    artefacts
        Write the result, schedules, charts and a page on the worst instance to this folder.
    """
    from ..analysis.rows import metric_names
    from ..evaluation.evaluate import evaluate, number_problems
    from ..evaluation.suites import runs_of

    wrong = number_problems(seed, time_limit, memory_limit, workers)
    problems = [replace(one, path="--" + one.path.replace("_", "-")) for one in wrong]
    problems += place_problems("--out", "", out)
    if artefacts is not None and artefacts.exists() and not artefacts.is_dir():
        problems.append(Problem("--artefacts", str(artefacts), "a folder", "name another"))
    raise_any("ringyard evaluate", problems)
    numbers = metric_names("ringyard evaluate", metrics)
    others = None if baselines is None else baselines.split(",")
    with counting(f"evaluating {method}", runs_of(suite, method, others)) as watch:
        found = evaluate(
            method,
            suite,
            seeds=seeds,
            secret=secret,
            seed=seed,
            time_limit=time_limit,
            memory_limit=memory_limit,
            baselines=others,
            workers=workers,
            strict=strict,
            outputs=[path for path in (out, artefacts) if path and not is_standard(path)],
            watch=watch,
        )
    return _shown(found, out, artefacts, numbers, json=json)


def _shown(
    found: "Evaluation",
    out: Path | None,
    artefacts: Path | None,
    metrics: list[str],
    *,
    json: bool,
) -> int:
    """Write the requested files, and print the result."""
    from ..evaluation.score import result_text, write_artefacts

    if out is not None:
        write(out, result_text(found).encode())
    if artefacts is not None:
        with written(artefacts):
            write_artefacts(found, artefacts)
    if json:
        emit(found.to_dict())
    else:
        _print(found, metrics)
    return 0 if found.valid == len(found.runs) else 1


def _print(found: "Evaluation", metrics: list[str]) -> None:
    result = found.to_dict()
    seeds = {"hidden": f"hidden seeds of secret {result['secret']}", "training": "training seeds"}
    suite = f"suite {found.suite.name}, version {found.suite.version}"
    say(f"{found.method.name} on {suite}, {seeds[result['seeds']]}")
    heads = ["instance", "status", found.family.objective, *metrics, "bound", "gap"]
    heads += ["best of baselines", "behind", "rank", "seconds", "remark"]
    table(heads, [_cells(row, metrics) for row in result["instances"]])
    say()
    scored = [("", found.method.name, found.score, found.valid, result["seconds"])]
    scored += [("baseline", *one.values()) for one in result["baselines"]]
    rows = [
        [name, kind, f"{score:.4f}", valid, f"{seconds:.2f}"]
        for kind, name, score, valid, seconds in sorted(scored, key=lambda one: -one[2])
    ]
    table(["method", "", "score", "valid", "seconds"], rows)
    say()
    part = "value / bound" if found.family.maximize else "bound / value"
    say(f"score  {found.score:.4f}  (mean of {part}, with 0 for a run that failed)")
    say(f"rank   {found.rank} of {result['of']}{_loss(found)}")
    if result["foresight"] is not None:
        does = "depends" if result["foresight"] else "does not depend"
        say(f"its decisions {does} on jobs that have not arrived")
    say(f"protected: {_named(found, kept=True)}; not protected: {_named(found, kept=False)}")


def _loss(found: "Evaluation") -> str:
    """Describe the largest loss of the method, if it has both losses and plans."""
    worst = found.worst()
    failed = found.valid and not found.runs[worst].valid
    if failed or (found.behind(worst) or 0.0) > 0:
        lost = "without a valid plan" if failed else "behind most"
        return f", {lost} on {found.instances[worst].name}"
    return ""


def _named(found: "Evaluation", *, kept: bool) -> str:
    return ", ".join(name for name, is_kept in found.guards.items() if is_kept is kept) or "none"


def _cells(row: dict[str, Any], metrics: list[str]) -> list[Any]:
    best = "-" if row["best"] is None else f"{cell(row['best'])} {row['best_by']}"
    seconds = "-" if row["seconds"] is None else f"{row['seconds']:.2f}"
    same = [f"same schedule as {', '.join(row['same_as'])}"] if row["same_as"] else []
    return [
        row["instance"],
        row["status"],
        row["value"],
        *(row["metrics"].get(name) for name in metrics),
        row["bound"],
        percent(row["gap"]),
        best,
        percent(row["behind"]),
        row["rank"],
        seconds,
        "; ".join(filter(None, (*same, row["note"].partition("\n")[0]))),
    ]
