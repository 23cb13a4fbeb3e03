"""`ringyard import pollux`: measured profiles, and workloads of Pollux and Sia, as instances."""

from decimal import Decimal
from pathlib import Path

from ...instances import (
    FleetInstance,
    RentalInstance,
    TraceInstance,
    digest,
)
from ...instances.arguments import at_least_one
from ...instances.errors import Problem, raise_any
from ...instances.importers.phases import Batches, read_jobs
from ...instances.importers.pollux import STRETCHES, read_profiles, read_workload
from ..shared.options import AsJson, Flag, Seconds, Whole, out_problems, write_entity
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
    servers: str | None = None,
    batches: Batches | None = None,
    name: str | None = None,
    source: str = "",
    licence: str = "",
    strict: Flag = False,
    json: AsJson = False,
) -> int:
    """Import profiles as a `rental` instance, or with a workload as a `fleet` or a `trace`.

    Parameters
    ----------
    folder
        The folder with APPLICATION/placements.csv, optionally APPLICATION/scalability.csv, and
        APPLICATION/validation-BATCH.csv for training with that batch size.
    out
        Write the instance to this file (.json or .json.gz).
    jobs_per_h
        Arrivals per hour, of all applications together.
    budget_gpus
        Rented GPUs on average over time (default: twice the load).
    epochs
        Segments of a measured training. Each has its own goodput.
    workload
        A file with name, time and application of jobs, which makes a `fleet` instance of them.
    rescale_s
        With a workload: seconds that a job pauses when its GPUs change (default: 0).
    servers
        With a workload: a cluster, such as 16x4, which makes a `trace`. With kinds of GPUs, such as
        6x4:aws,2x8:dgx, speeds come from APPLICATION/placements-KIND.csv and scalability-KIND.csv.
    batches
        With servers: batch sizes tuned in each epoch (default), or those of the workload.
    name
        Name of the instance (default: the folder name).
    source
        Origin of the data, stored in the instance.
    licence
        Licence of the data, stored in the instance.
    strict
        Refuse invalid lines. By default they are left out and reported.
    """
    problems = [*out_problems(str(folder), out), *at_least_one("--epochs", epochs)]
    for option, value in (("--rescale-s", rescale_s), ("--servers", servers)):
        if value is not None and workload is None:
            problems.append(Problem(option, value, "--workload as well", "add --workload"))
    if batches is not None and servers is None:
        problems.append(Problem("--batches", batches, "--servers as well", "add --servers"))
    raise_any("ringyard import", problems)
    named, pause = name or folder.resolve().name or "profiles", rescale_s or Decimal(0)
    made: TraceInstance | RentalInstance | FleetInstance
    if workload is not None and servers is not None:
        made, remarks = read_jobs(
            folder,
            workload,
            servers,
            name=named,
            batches=batches or "tuned",
            stretches=epochs,
            restart_s=pause,
            source=source,
            licence=licence,
            strict=strict,
        )
    else:
        made, remarks = profiles, _ = read_profiles(
            folder,
            name=named,
            jobs_per_h=jobs_per_h,
            budget_gpus=budget_gpus,
            stretches=epochs,
            timed=workload is not None,
            source=source,
            licence=licence,
            strict=strict,
        )
        if workload is not None:
            made, notes = read_workload(
                profiles, workload, budget_gpus=budget_gpus, rescale_s=pause, strict=strict
            )
            remarks = (*remarks, *notes)
    write_entity(made, out)
    if json:
        budget = None if isinstance(made, TraceInstance) else float(made.budget_gpus)
        emit(
            {
                "instance": made.name,
                "digest": digest(made),
                "types": [one.name for one in made.types],
                "budget_gpus": budget,
                "remarks": list(remarks),
                "out": str(out),
            }
        )
        return 0
    say(made.title)
    for remark in remarks:
        say(f"note: {remark}")
    return 0
