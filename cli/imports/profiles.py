"""`ringyard import pollux`: measured profiles of applications, as a `rental` instance."""

from decimal import Decimal
from pathlib import Path

from ...instances import FleetInstance, RentalInstance, digest
from ...instances.arguments import at_least_one
from ...instances.errors import Problem, raise_any
from ...instances.importers.pollux import STRETCHES, read_profiles
from ...instances.importers.pollux_workload import read_workload
from ..shared.options import AsJson, Flag, Seconds, Whole, out_problems, write_noun
from ..shared.output import emit, say


def profiles_command(
    folder: Path,
    /,
    *,
    out: Path,
    jobs_per_h: Decimal = Decimal(10),
    budget_gpus: Decimal | None = None,
    epochs: Whole = STRETCHES,
    workload: Path | None = None,
    rescale_s: Seconds | None = None,
    name: str | None = None,
    source: str = "",
    licence: str = "",
    strict: Flag = False,
    json: AsJson = False,
) -> int:
    """Turn profiles as measured for Pollux into a `rental` instance, or a `fleet` with a workload.

    Parameters
    ----------
    folder
        The folder with APPLICATION/placements.csv, perhaps APPLICATION/scalability.csv, and
        APPLICATION/validation-BATCH.csv, a training with that batch size.
    out
        Write the instance to this file (.json or .json.gz).
    jobs_per_h
        Jobs that arrive in an hour, of all applications together.
    budget_gpus
        GPUs that may be paid for, on average over time; twice the load if not given.
    epochs
        Stretches into which a measured training is cut, each with the goodput that it has there.
    workload
        A file with name, time and application of jobs; they are those of a `fleet` instance then.
    rescale_s
        With a workload: how long a job is paused when its GPUs change; 0 if it is left out.
    name
        Name of the instance; as the folder if not given.
    source
        Where the data come from, to be kept in the instance.
    licence
        The terms of use of the data, to be kept in the instance.
    strict
        Refuse faulty lines; else they are left out and reported.
    """
    problems = [*out_problems(str(folder), out), *at_least_one("--epochs", epochs)]
    if rescale_s is not None and workload is None:
        expected = "--workload beside it"
        problems.append(Problem("--rescale-s", rescale_s, expected, "add --workload"))
    raise_any("ringyard import", problems)
    profiles, remarks = read_profiles(
        folder,
        name=name or folder.resolve().name or "profiles",
        jobs_per_h=jobs_per_h,
        budget_gpus=budget_gpus,
        stretches=epochs,
        timed=workload is not None,
        source=source,
        licence=licence,
        strict=strict,
    )
    made: RentalInstance | FleetInstance = profiles
    if workload is not None:
        made, told = read_workload(
            profiles,
            workload,
            budget_gpus=budget_gpus,
            rescale_s=rescale_s or Decimal(0),
            strict=strict,
        )
        remarks = (*remarks, *told)
    write_noun(made, out)
    if json:
        emit(
            {
                "instance": made.name,
                "digest": digest(made),
                "types": [one.name for one in made.types],
                "budget_gpus": float(made.budget_gpus),
                "remarks": list(remarks),
                "out": str(out),
            }
        )
        return 0
    say(made.title)
    for remark in remarks:
        say(f"note: {remark}")
    return 0
