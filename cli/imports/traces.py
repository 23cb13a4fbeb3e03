"""`ringyard import`: traces of clusters and simulators as instances."""

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from ...instances import (
    digest,
)
from ...instances.errors import Problem, plural, raise_any
from ...instances.importers import read_trace
from ...instances.importers.assemble import ImportChoices, Imported
from ...instances.importers.failures import NodeFailures
from ..shared.options import AsJson, Flag, Seconds, Whole, out_problems, write_entity
from ..shared.output import emit, say


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
