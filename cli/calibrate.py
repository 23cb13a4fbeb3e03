"""`ringyard calibrate`: contention parameters fitted to measurements, and their error."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ..analysis.calibration import (
    Fitted,
    LawFit,
    MeasuredReduce,
    chosen,
    draw_contention,
    fit,
    laws_for,
    laws_table,
    read_measured,
    remarks,
)
from ..analysis.figures.canvas import figure_format
from ..instances.arguments import at_least_one, seed_problems
from ..instances.errors import ABSENT, InputError, Problem, Words, raise_any
from .shared.options import AsJson, Whole, draw_to, place_problems, write_table
from .shared.output import emit, say, show_table

FEWEST = 3
"""Least number of measurements that determine start-up, bandwidth and slowdown."""


def calibrate_command(
    what: Literal["contention"],
    /,
    *files: str,
    gpus: Whole | None = None,
    columns: str = "",
    unit: Literal["s", "ms", "us"] = "s",
    rack_servers: Whole | None = None,
    redraws: Whole = 200,
    seed: Whole = 0,
    plot: Path | None = None,
    latex: Path | None = None,
    csv: Path | None = None,
    json: AsJson = False,
) -> int:
    """Fit the contention model to measured all-reduces: share, degradation, bandwidth, start-up.

    Parameters
    ----------
    what
        What to calibrate.
    files
        CSV files with columns rings (rings that shared the uplink at once), bytes, seconds and
        gpus (workers of a ring). Or the output of all_reduce_perf (nccl-tests), as FILE=K if K
        rings ran at once.
    gpus
        Workers of a ring, each on its own server. Required if the files do not give it.
    columns
        Columns of the CSV that have other names, as in rings=job_num,bytes=msg_size.
    unit
        Unit of the times in a CSV.
    rack_servers
        Servers per rack, if rings crossed racks. Then the oversubscription of racks is also fitted.
    redraws
        Bootstrap samples for the confidence intervals, or 0 for no intervals.
    seed
        Seed of the bootstrap.
    plot
        Draw measured and modelled slowdowns to this file: .svg, .pdf or .png.
    latex
        Write the table as LaTeX to this file.
    csv
        Write the table as CSV to this file.
    """
    problems = seed_problems(seed)
    if not files:
        advice = "name a CSV, or the output of nccl-tests"
        problems.append(Problem("FILE", ABSENT, "at least one file of measurements", advice))
    if gpus is not None and gpus < 2:
        problems.append(Problem("--gpus", gpus, "at least 2", "a ring has 2 workers or more"))
    problems += at_least_one("--rack-servers", rack_servers)
    if redraws < 0:
        problems.append(Problem("--redraws", redraws, "at least 0", "give 0 for no intervals"))
    for option, path in (("--plot", plot), ("--latex", latex), ("--csv", csv)):
        problems += [p for file in files for p in place_problems(option, file, path)]
    raise_any("ringyard calibrate", problems)
    if plot is not None:
        figure_format(plot)
    measured = [
        one for file in files for one in read_measured(file, gpus=gpus, columns=columns, unit=unit)
    ]
    _enough(measured)
    fits = [fit(law, measured, seed, redraws) for law in laws_for(measured, rack_servers)]
    table = laws_table(fits, measured)
    write_table(table, "tab:contention", latex, csv)
    if plot is not None:
        draw_to(plot, draw_contention, fits, measured)
    notes, best = remarks(fits, measured, rack_servers), chosen(fits).numbers
    assert best is not None
    settings = _settings(best)
    if json:
        emit({"laws": [_plain(one) for one in fits], "remarks": notes, "set": settings})
        return 0
    show_table(table)
    for line in notes:
        say(line)
    options = " ".join(f"--set {one}" for one in settings)
    say(f"\nto generate such instances: ringyard generate FAMILY {options}")
    say(f"and in their files: inter_bandwidth_gb_s {best.bandwidth:.4g}")
    return 0


def _enough(measured: Sequence[MeasuredReduce]) -> None:
    rings = {one.rings for one in measured}
    if len(measured) < FEWEST or len(rings) < 2:
        found = Words(f"{len(measured)} with {len(rings)} different numbers of rings")
        expected = f"{FEWEST} or more, with 2 or more different numbers of rings at once"
        advice = "measure one ring alone, two at once, and more"
        raise InputError("ringyard calibrate", [Problem("measurements", found, expected, advice)])


def _settings(numbers: Fitted) -> list[str]:
    """Return the generator options that correspond to the fit."""
    return [
        f"share={numbers.share:.2g}",
        f"degradation={numbers.degradation:.3g}",
        "overhead=step",
        f"overhead_s={numbers.start_s:.3g}",
    ]


def _plain(one: LawFit) -> dict[str, Any]:
    """Return a fit as a dictionary."""
    numbers = one.numbers
    known = {} if numbers is None else numbers._asdict() | {"gb_per_s": numbers.bandwidth}
    names = ("start_s", "gb_per_s", "share", "degradation")
    return {
        "law": one.law.name,
        **known,
        "intervals": dict(zip(names, one.intervals, strict=False)),
        "rms": one.rms,
        "predicted": one.predicted,
        "errors": one.errors,
    }
