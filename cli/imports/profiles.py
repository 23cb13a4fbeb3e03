"""`ringyard import pollux`: measured profiles of applications, as a `rental` instance."""

from decimal import Decimal
from pathlib import Path

from ...instances import digest
from ...instances.arguments import at_least_one
from ...instances.errors import raise_any
from ...instances.importers.pollux import STRETCHES, read_profiles
from ..shared.options import AsJson, Flag, Whole, out_problems, write_noun
from ..shared.output import emit, say


def profiles_command(
    folder: Path,
    /,
    *,
    out: Path,
    jobs_per_h: Decimal = Decimal(10),
    budget_gpus: Decimal | None = None,
    epochs: Whole = STRETCHES,
    name: str | None = None,
    source: str = "",
    licence: str = "",
    strict: Flag = False,
    json: AsJson = False,
) -> int:
    """Turn profiles as measured for Pollux into a `rental` instance.

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
    raise_any("ringyard import", problems)
    made, remarks = read_profiles(
        folder,
        name=name or folder.resolve().name or "profiles",
        jobs_per_h=jobs_per_h,
        budget_gpus=budget_gpus,
        stretches=epochs,
        source=source,
        licence=licence,
        strict=strict,
    )
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
