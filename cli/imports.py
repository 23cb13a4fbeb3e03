"""`ringyard import`: external traces and profiles as instances, a solver's point as a schedule."""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cyclopts import App

from ..analysis.check.judge import check
from ..families.registry import family_of
from ..instances import (
    AnySchedule,
    FleetInstance,
    Instance,
    MakespanInstance,
    RentalInstance,
    Schedule,
    TraceInstance,
    digest,
)
from ..instances.arguments import at_least_one
from ..instances.catalogue import load, load_as
from ..instances.errors import Problem, Words, plural, raise_any
from ..instances.importers import read_trace
from ..instances.importers.assemble import ImportChoices, Imported
from ..instances.importers.failures import NodeFailures
from ..instances.importers.phases import Batches, read_jobs
from ..instances.importers.pollux import STRETCHES, read_profiles, read_workload
from ..instances.importers.runs import Clock, read_runs
from ..instances.reading.decode import read_text
from .shared.options import SHOWN, AsJson, Flag, Seconds, Whole, out_problems, write_entity
from .shared.output import emit, say
from .shared.verdicts import print_verdict, verdict_row

if TYPE_CHECKING:
    from ..families import ConstraintProgram
    from ..formulations.catalogue import Formulation

import_command = App(name="import", help_epilogue="", default_parameter=SHOWN)
"""One command for all traces, one for profiles, and one for solvers' points."""


@import_command.default
def trace_command(
    format: str,
    file: Path,
    /,
    *,
    out: Path,
    servers: str | None = None,
    cluster: Path | None = None,
    racks: Whole | None = None,
    largest: Literal["drop", "refuse"] = "drop",
    first: Whole | None = None,
    from_s: Seconds | None = None,
    until_s: Seconds | None = None,
    vc: str | None = None,
    successful: Flag = False,
    keep_arrivals: Flag = False,
    tick: Seconds = Decimal(1),
    restart_s: Seconds = Decimal(0),
    resume_s: Seconds | None = None,
    law: Path | None = None,
    throughputs: Path | None = None,
    gpu: str = "v100",
    across: Literal["measured", "none"] = "measured",
    columns: str = "",
    slice: str = "share",
    group: str = "",
    qos: str | None = None,
    quota: str | None = None,
    most: str | None = None,
    speeds: str | None = None,
    nodes: Path | None = None,
    durations: Path | None = None,
    strict: Flag = False,
    name: str | None = None,
    source: str = "",
    licence: str = "",
    json: AsJson = False,
) -> int:
    """Import a trace as an instance.

    Parameters
    ----------
    format
        philly, helios, pai, tiresias, muri, chronus, gavel, sacct, squeue, csv, or a format of
        another package, from `ringyard list formats`.
    file
        The file to read (.gz is unpacked).
    out
        Write the instance to this file (.json or .json.gz).
    servers
        The cluster as servers times GPUs: 15x4 or 10x8,2x4. Kinds of GPUs and regions may follow,
        as in 10x8:v100@east,2x4:k80@west. Required if neither the log nor --cluster describes it.
    cluster
        The cluster as a file of Tiresias, Philly or Gavel.
    racks
        Distribute the servers, in order, over this many racks (default: as in --cluster, else 1).
    largest
        For jobs that request more GPUs than the cluster has: drop them, or refuse the file.
    first
        Only the first n jobs by arrival.
    from_s
        Only jobs that arrive at least this many seconds after the first job.
    until_s
        Only jobs that arrive less than this many seconds after the first job.
    vc
        Only the jobs of this virtual cluster (philly, helios, chronus: user, sacct: Partition).
    successful
        Only jobs that ran and completed successfully.
    keep_arrivals
        Keep arrival times unchanged (default: the first job arrives at 0).
    tick
        Round all times to a multiple of this many seconds.
    restart_s
        Seconds that a stopped job loses when it restarts on other GPUs.
    resume_s
        Seconds that a stopped job loses when it resumes on the same GPUs (default: as --restart-s).
    law
        A file with the GPU-seconds of past jobs, one per line, for policies that know their
        distribution (default: the jobs of the trace).
    throughputs
        For gavel: the file of measured speeds.
    gpu
        For gavel: the GPU type for which durations hold. In a cluster with kinds of GPUs, speeds on
        the other kinds are relative to it.
    across
        For gavel: communication cost between servers: as measured, or none, as in its simulator.
    columns
        The columns of a table without a header, as JobID,Submit,Elapsed,State,AllocTRES. With a
        header: names of its columns, as arrival_s=submit,duration_s=runtime.
    slice
        For sacct: value of a GPU slice (MIG): share, whole, or a fraction such as 1/4.
    group
        The column of a job's group, or tenant (default: Account of sacct, vc of helios, user of pai
        and chronus, group of csv).
    qos
        For sacct: priorities of jobs by QOS, as high=2,low=-1 (default: 0).
    quota
        GPUs of their own by group, as nlp=12,vision=4, for the policy quotas (default: 0).
    most
        GPUs that a group never exceeds, as nlp=16 (default: all).
    speeds
        Relative speeds of kinds of GPUs, as v100=1,k80=0.31. A job that ran on one of these may run
        on all of them (default: each job only on its own kind).
    nodes
        For squeue: the output of `scontrol show node`, which is the cluster.
    durations
        For squeue: a CSV with the columns job and duration_s, the expected run times from the start
        of a job (default: its time limit).
    strict
        Refuse a file with invalid records. By default they are left out, and counted by reason.
    name
        Name of the instance (default: the file name).
    source
        Origin of the data, stored in the instance.
    licence
        Licence of the data, stored in the instance.
    """
    given = (
        ("--qos", qos, "high=2"),
        ("--quota", quota, "nlp=12"),
        ("--most", most, "nlp=16"),
        ("--speeds", speeds, "v100=1,k80=0.31"),
    )
    problems = [
        Problem(option, text, "names and whole numbers", f"write {example}, or leave it out")
        for option, text, example in given
        if text is not None and not text.strip()
    ]
    raise_any("ringyard import", problems + out_problems(str(file), out))
    choices = ImportChoices(
        name=name or file.name.partition(".")[0] or "trace",
        source=source,
        licence=licence,
        tick_s=tick,
        restart_s=restart_s,
        resume_s=resume_s,
        first=first,
        from_s=from_s,
        until_s=until_s,
        vc=vc,
        successful=successful,
        largest=largest,
        keep_arrivals=keep_arrivals,
    )
    made = read_trace(
        format,
        file,
        choices,
        servers=servers,
        cluster=cluster,
        racks=racks,
        law=law,
        throughputs=throughputs,
        gpu=gpu,
        across=across,
        columns=columns,
        slice=slice,
        group=group,
        qos=qos or "",
        quota=quota or "",
        most=most or "",
        speeds=speeds or "",
        nodes=nodes,
        durations=durations,
        strict=strict,
    )
    write_entity(made.instance, out)
    if json:
        emit(_row(made, out))
    else:
        _say(made)
    return 0


def _row(made: Imported, out: Path) -> dict[str, Any]:
    return {
        "instance": made.instance.name,
        "digest": digest(made.instance),
        "jobs": len(made.instance.jobs),
        "gpus": made.instance.gpus,
        "read": made.read,
        "further_attempts": made.further,
        "dropped": made.dropped,
        "first": {one.reason: one.line for one in made.left_out},
        "not_looked_at": list(made.unused),
        "rounding_s": float(made.rounding_s),
        "remarks": list(made.remarks),
        "failures": None if made.failures is None else _failures(made.failures),
        "out": str(out),
    }


def _failures(found: NodeFailures) -> dict[str, Any]:
    more = {"mtbf_s": found.mtbf_s, "outages": found.outages}
    return {"failures": found.failures, "nodes": found.nodes, "span_s": found.span_s, **more}


def _say(made: Imported) -> None:
    instance = made.instance
    racks = len({server.rack for server in instance.servers})
    size = f"{plural(len(instance.servers), 'server')} in {plural(racks, 'rack')}"
    say(f"{instance.title}: {size}")
    left = sum(one.count for one in made.left_out)
    taken = plural(len(instance.jobs), "job")
    taken += f", {plural(made.further, 'further attempt')}" if made.further else ""
    say(f"read {plural(made.read, 'record')}: {taken}, left out {left:,}")
    for one in made.left_out:
        say(f"  {one.count:,}: {one.reason}")
        say(f"     {'first ' if one.count > 1 else ''}{one.line}")
    if made.unused:
        say(f"not used: {', '.join(made.unused)}")
    if made.rounding_s:
        say(f"rounded times by at most {float(made.rounding_s):.3g} s")
    for remark in made.remarks:
        say(f"note: {remark}")
    if not instance.restart_s and not instance.resume_s:
        say("note: a job that is stopped loses no time when it restarts: set --restart-s")


@import_command.command(
    name="pollux", help="Import profiles as measured for Pollux as a `rental` instance."
)
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
    """Import profiles as measured for Pollux as a `rental` instance, or a `fleet` with a workload.

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


@import_command.command(
    name="runs", help="Import the runs of a plan as a schedule, and check it against the instance."
)
def runs_command(
    file: Path,
    /,
    *,
    instance: str,
    epoch: str | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Import the runs of a plan as a schedule, and check it against the instance.

    Parameters
    ----------
    file
        A CSV with the columns job, start_s, end_s and servers, as `ringyard export --runs` writes.
    instance
        The instance that the plan is for: a catalogue name, or a file.
    epoch
        Date and time of time 0, as for the export. The columns start and end then count.
    out
        Write the schedule to this file (.json or .json.gz).
    """
    raise_any("ringyard import", out_problems(instance, out))
    problem = load(instance)
    clock = None if epoch is None else Clock.of(epoch, "ringyard import")
    return _judged(problem, read_runs(file, problem, clock), out, {}, "", json=json)


def _judged(
    problem: Instance,
    schedule: AnySchedule,
    out: Path | None,
    row: Mapping[str, Any],
    said: str,
    *,
    json: bool,
) -> int:
    """Check an imported schedule, write it, and print the verdict after what was said."""
    verdict, family = check(problem, schedule), family_of(problem)
    if out is not None:
        write_entity(family.claimed(schedule, verdict), out)
    if json:
        emit({"instance": problem.name, **row, **verdict_row(family, verdict)})
    else:
        if said:
            say(said)
        print_verdict(family, verdict)
    return 0 if verdict.valid else 1


@import_command.command(
    name="sol", help="Import a solver's point as a schedule, and check it against the instance."
)
def sol_command(
    file: Path,
    /,
    *,
    instance: str,
    formulation: str,
    horizon: Whole | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Import a solver's point as a schedule, and check it against the instance.

    Parameters
    ----------
    file
        Lines of names and values, as MIPLIB, SCIP, Gurobi, HiGHS and MiniZinc write them.
    instance
        The instance of the program: a catalogue name, or a file.
    formulation
        The program that was solved, from `ringyard list formulations`.
    horizon
        The horizon that was given for the export, if any.
    out
        Write the schedule to this file (.json or .json.gz).
    """
    from ..formulations.catalogue import constraint_models, find_formulation

    problems = out_problems(instance, out)
    problems += at_least_one("--horizon", horizon)
    raise_any("ringyard import", problems)
    text, problem = read_text(file), load_as(MakespanInstance, instance)
    asked, row = constraint_models().get(formulation), dict[str, Any]()
    if asked is not None:
        schedule, broken = _read_values(text, file, problem, asked, horizon)
        row = {"broken": broken}
        said = f"the values break {broken}" if broken else "the values satisfy the model"
    else:
        program = find_formulation(formulation)
        schedule, value, miss = _read(text, file, problem, program, horizon)
        row = {"value": value, "violation": miss if isfinite(miss) else None}
        said = f"the point has value {value:.6g} in the program and violates it by {miss:.3g}"
    return _judged(problem, schedule, out, row, said, json=json)


def _read(
    text: str,
    file: Path,
    problem: MakespanInstance,
    program: "Formulation",
    horizon: int | None,
) -> tuple[Schedule, float, float]:
    """Return the schedule of the point in a file, its value and its violation."""
    from ..formulations.files.sol import read_sol
    from ..formulations.matrix import set_point, stated_model
    from ..formulations.solver_interface.checked import checker_of
    from ..formulations.solver_interface.solve import program_of

    model = stated_model(problem, program, horizon)
    stated = program_of(model)
    point = read_sol(text, stated.columns, str(file))
    set_point(model, stated, point)
    checker = checker_of(stated)
    return program.read(model), checker.value(point), checker.violation(point)


def _read_values(
    text: str,
    file: Path,
    problem: MakespanInstance,
    asked: "ConstraintProgram",
    horizon: int | None,
) -> tuple[Schedule, str | None]:
    """Return the schedule in values of a constraint model, and the first constraint they break."""
    from ..formulations.constraints import unmet
    from ..formulations.files.sol import exact_sol

    model = asked.question(problem, horizon)
    found = exact_sol(text, model.names, str(file))
    problems = [
        Problem(
            model.names[place],
            Words(f"{float(value):g}"),
            "a whole number",
            "take the solver's own values",
        )
        for place, value in found.items()
        if value.denominator != 1
    ]
    raise_any(str(file), problems)
    values = [int(found.get(place, 0)) for place in range(len(model.names))]
    schedule = asked.read(problem, dict(zip(model.names, values, strict=True)))
    return schedule, unmet(model, values)
