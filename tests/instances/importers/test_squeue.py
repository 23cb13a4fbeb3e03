"""A queue of Slurm as it is now: who runs where, who waits, and which nodes are out."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from foreign_texts import SCONTROL, SQUEUE

from ringyard.instances import InputError, TraceJob
from ringyard.instances.importers import Imported

Take = Callable[..., Imported]
NODE = "NodeName={} Gres=gpu:{} State={} CfgTRES=cpu=1\n"


@pytest.fixture
def take(bring: Any, tmp_path: Path) -> Take:
    """Return a function that imports lines of jobs on nodes."""

    def call(*jobs: str, nodes: str = SCONTROL, queue: str = "", **more: Any) -> Imported:
        file = tmp_path / "nodes"
        file.write_text(nodes)
        text = queue or "\n".join([SQUEUE.partition("\n")[0], *jobs, ""])
        made: Imported = bring("squeue", text, nodes=file, servers=None, **more)
        return made

    return call


def line(
    name: str,
    state: str = "PENDING",
    *,
    time: str = "0:00",
    limit: str = "1:00:00",
    reason: str = "None",
    gpus: str = "gres/gpu=4",
    nodes: str = "",
    priority: int = 7,
) -> str:
    """Return the line of a job."""
    tres = f"cpu=8,mem=64G,node=1,billing=8,{gpus}"
    cells = (name, state, time, limit, priority, "nlp", reason, tres, nodes)
    return "|".join(f"{cell:<20}" for cell in cells)


def job(made: Imported, name: str) -> TraceJob:
    """Return a job by name."""
    (found,) = (one for one in made.instance.jobs if one.name == name)
    return found


def test_running_jobs_hold_their_gpus_and_have_the_rest_of_their_limit_left(take: Take) -> None:
    made = take(queue=SQUEUE)
    servers = {(s.name, s.gpus, s.gpu, s.region) for s in made.instance.servers}
    assert servers == {("n01", 4, "a100", "up"), ("n02", 2, "a100", "draining")}
    runs, spans, waits = (job(made, name) for name in ("4711", "4712", "4713_1"))
    assert runs.held == (("n01", 3),)
    assert (runs.duration_s, runs.done_s, runs.limit_s) == (14_400, 3_600, 14_400)
    assert (runs.group, runs.gpu, runs.allowed_regions) == ("vision", "a100", ("up",))
    assert spans.held == (("n01", 1), ("n02", 2))
    assert spans.done_s == spans.duration_s - 1
    assert spans.allowed_regions == ("up", "draining")
    assert (waits.held, waits.done_s, waits.arrival_s) == (None, 0, 0)
    assert [one.priority for one in (runs, spans, waits)] == [429490170, 429490169, 429490175]
    assert made.dropped == {
        "held, or waiting for another job or a date": 1,
        "neither waiting nor running": 1,
        "no time limit (--durations)": 1,
        "on GPUs of the kind v100, which the cluster lacks": 1,
    }
    assert "8 GPUs of running jobs without a time limit, left out of the cluster" in made.remarks
    assert "running jobs on nodes that are down, which start again: 1" in made.remarks


def test_durations_replace_limits(take: Take, tmp_path: Path) -> None:
    file = tmp_path / "durations.csv"
    file.write_text("job,duration_s\na,900\nb,1e4\n")
    ready = {"nodes": NODE.format("n1", 8, "IDLE"), "durations": file}
    lines = (line("a", "RUNNING", time="20:00", nodes="n1"), line("b", limit="UNLIMITED"))
    made = take(*lines, **ready)
    assert [(one.duration_s, one.done_s) for one in made.instance.jobs] == [(900, 899), (10**4, 0)]
    coarse = take(*lines, **ready, tick_s=Decimal(7))
    assert job(coarse, "a").done_s == 903 - 7
    short = take(line("a", "RUNNING", time="1:40", nodes="n1"), **ready, tick_s=Decimal(7))
    assert job(short, "a").done_s == Decimal("99.999998")


@pytest.mark.parametrize(
    ("gpus", "nodes", "held"),
    [
        (4, "n1", {"n1": 4}),
        (16, "n[1-2]", {"n1": 8, "n2": 8}),
        (7, "n[1-2]", {"n1": 4, "n2": 3}),
        (12, "n[2-3]", {"n2": 8, "n3": 4}),
        (5, "n1,n3", {"n1": 3, "n3": 2}),
    ],
)
def test_gpus_are_split_over_nodes(take: Take, gpus: int, nodes: str, held: dict[str, int]) -> None:
    text = "".join(NODE.format(f"n{i}", (8, 8, 4)[i - 1], "ALLOCATED") for i in (1, 2, 3))
    made = take(line("a", "RUNNING", gpus=f"gres/gpu={gpus}", nodes=nodes), nodes=text)
    assert dict(job(made, "a").held or ()) == held
    assert any("split evenly" in one for one in made.remarks) == (gpus in (7, 5))


def test_a_job_over_nodes_takes_what_others_leave(take: Take) -> None:
    text = "".join(NODE.format(name, 4, "MIXED") for name in ("r1n01", "r1n02", "r2n01", "r2n02"))
    made = take(
        line("wide", "RUNNING", gpus="gres/gpu=8", nodes="r[1-2]n[01-02]"),
        line("one", "RUNNING", gpus="gres/gpu=3", nodes="r1n02"),
        line("more", "RUNNING", gpus="gres/gpu=3", nodes="r1n02"),
        line("far", "RUNNING", gpus="gres/gpu=3", nodes="r1n02,r1n0"),
        nodes=text,
    )
    held = dict(job(made, "wide").held or ())
    assert held == {"r1n01": 3, "r1n02": 1, "r2n01": 2, "r2n02": 2}
    assert made.dropped == {
        "runs on more GPUs than its nodes have": 1,
        "runs on a node that is not in --nodes": 1,
    }


@pytest.mark.parametrize(
    ("state", "runs", "waits"),
    [
        ("IDLE", 4, True),
        ("MIXED+CLOUD", 4, True),
        ("IDLE+DRAIN", 2, False),
        ("MIXED*", 2, False),
        ("MIXED+MAINTENANCE+RESERVED", 2, False),
        ("DOWN+DRAIN", 0, False),
        ("DOWN*", 0, False),
    ],
)
def test_states_of_nodes(take: Take, state: str, runs: int, waits: bool) -> None:
    text = NODE.format("n1", 4, state) + NODE.format("n2", 2, "IDLE")
    made = take(
        line("a", "RUNNING", gpus="gres/gpu=2", nodes="n1"),
        line("b", gpus="gres/gpu=2"),
        nodes=text,
    )
    gpus = {server.name: server.gpus for server in made.instance.servers}
    assert gpus == ({"n1": runs} if runs else {}) | {"n2": 2}
    anywhere = job(made, "b").allowed_regions is None and runs == 4
    assert anywhere == waits
    assert (job(made, "a").held is not None) == bool(runs)


def test_kinds_of_nodes_are_of_gres_or_else_of_tres(take: Take) -> None:
    text = (
        "NodeName=a Gres=gpu:h100:8(S:0-1),shard:32 State=IDLE\n"
        "NodeName=b Gres=(null) State=IDLE CfgTRES=cpu=8,gres/gpu=4,gres/gpu:a100=4\n"
        "NodeName=c Gres=gpu:2 State=IDLE\nNodeName=d Gres=gpu State=IDLE\n"
        "NodeName=e Gres=gpu:a:1,gpu:b:1 State=IDLE\nNodeName=f Gres=(null) State=IDLE\n"
    )
    made = take(line("x"), nodes=text)
    assert [(s.name, s.gpus, s.gpu) for s in made.instance.servers] == [
        *(("a", 8, "h100"), ("b", 4, "a100"), ("c", 2, "gpu"), ("d", 1, "gpu")),
    ]
    assert "nodes with several kinds of GPUs, left out: 1" in made.remarks
    assert job(made, "x").gpu is None
    plain = take(line("x", gpus="gres/gpu=2"), nodes=NODE.format("c", 2, "IDLE"))
    assert plain.instance.servers[0].gpu is None


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({"state": "RUNNING"}, "line 2, NODELIST: found '', expected the nodes on which the job"),
        ({"state": "RUNNING", "nodes": "n[1-"}, "line 2, NODELIST: found 'n[1-', expected names"),
        ({"state": "RUNNING", "nodes": "n[2-1]"}, "line 2, NODELIST: found 'n[2-1]'"),
        ({"state": "RUNNING", "nodes": "n[0-999][0-999]"}, "line 2, NODELIST: found 'n[0-999]["),
        ({"gpus": "gres/gpu=1.5"}, "line 2, TRES_ALLOC: found 'gres/gpu=1.5', expected whole"),
        ({"limit": "soon"}, "line 2, TIME_LIMIT: found 'soon', expected a time such as"),
        ({"name": ""}, "line 2, JOBID: found an empty cell"),
    ],
)
def test_a_wrong_line_is_named(
    take: Take, tmp_path: Path, cells: dict[str, str], complaint: str
) -> None:
    text = line(**{"name": "a", **cells})  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        take(text, nodes=NODE.format("n1", 8, "IDLE"), strict=True)
    assert str(caught.value).startswith(f"{tmp_path / 'trace'}: {complaint}")


@pytest.mark.parametrize(
    ("nodes", "complaint"),
    [
        ("", "file: found an empty file, expected the output of `scontrol show node`"),
        ("PARTITION AVAIL\n", "file: found 'PARTITION AVAIL', expected the output of"),
        ("\nNodeName=n1 Gres=gpu:x:y:2b\n", "line 2, n1: found 'gpu:x:y:2b', expected gpu:NUMBER"),
        ("NodeName=n1 Gres=gpu:8\n", "line 1, n1: found nothing, expected a State="),
        (2 * NODE.format("n1", 8, "IDLE"), "line 2, n1: found 'n1', expected each node once"),
    ],
)
def test_wrong_nodes_are_named(take: Take, tmp_path: Path, nodes: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        take(line("a"), nodes=nodes)
    assert str(caught.value).startswith(f"{tmp_path / 'nodes'}: {complaint}")


def test_a_queue_needs_nodes_in_service_and_no_other_cluster(
    bring: Any, take: Take, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="--nodes: found nothing, expected a file with"):
        bring("squeue", SQUEUE, servers=None)
    with pytest.raises(InputError, match="--nodes: found no node in service with GPUs"):
        take(line("a"), nodes=NODE.format("n1", 8, "DOWN"))
    with pytest.raises(InputError, match="--servers: found '1x8', expected no value for squeue"):
        bring("squeue", SQUEUE, servers="1x8")
    with pytest.raises(
        InputError, match=r"--nodes: found .*, expected no value, except for squeue"
    ):
        bring("sacct", SQUEUE, nodes=tmp_path)
    file = tmp_path / "durations.csv"
    file.write_text("job,duration_s\na,0\na,x\nb,\n")
    with pytest.raises(InputError) as caught:
        take(line("a"), durations=file)
    assert [one.path for one in caught.value.problems] == [
        *("line 2, duration_s", "line 3, duration_s", "line 3, job", "line 4, duration_s"),
    ]
