"""Measurements on several kinds of GPUs become speeds of a trace: the best goodput of an epoch."""

from decimal import Decimal
from pathlib import Path

import pytest

from ringyard.instances import InputError, TraceInstance
from ringyard.instances.importers.goodput import read_kinds_workload

STEPS = "placement,local_bsz,step_time,sync_time\n"
NOISE = "progress,grad_sqr,grad_var\n"
EPOCHS = NOISE + "3600,2,0\n7200,1,1\n10800,0,1\n"
FILES = {
    "placements-slow": STEPS + "1,10,1,0.5\n2,10,1,0.5\n11,10,0.9,0.5\n",
    "placements-fast": STEPS + "1,10,0.5,0\n",
    "validation-10": EPOCHS,
    "validation-20": EPOCHS,
}
JOBS = "name,time,application,num_replicas,batch_size\n"
SERVERS = "2x2:slow,1x4:fast"


def imported(
    folder: Path, *, jobs: str = "a,5,mine,2,20\n", servers: str = SERVERS, **files: str
) -> TraceInstance:
    """Return the trace of jobs with the usual files, except for the given ones."""
    (folder / "mine").mkdir()
    for name, text in {**FILES, **files}.items():
        (folder / "mine" / f"{name}.csv").write_text(text)
    path = folder / "workload.csv"
    path.write_text(JOBS + jobs)
    rules = {"name": "x", "stretches": 3, "restart_s": Decimal(30), "strict": True}
    return read_kinds_workload(folder, path, servers, **rules).instance  # type: ignore[arg-type]


def speeds(made: TraceInstance) -> list[dict[tuple[str | None, int], float]]:
    (kind,) = made.types
    return [{(w.gpu, w.gpus): float(w.speed) for w in phase.speeds} for phase in kind.phases]


def test_each_epoch_has_its_best_batch_on_every_kind(tmp_path: Path) -> None:
    """An epoch is 36,000 examples. Without noise an example of 20 counts 1/2, then 2/3, then 1.

    On two slow GPUs steps of 20 take 1 s: goodput is 10, 13.3 and 20 per second, so that epochs
    take 3600, 2700 and 1800 s. One slow GPU needs 1 s for 10, or 1.5 s for two passes: goodput is
    10, 10 and 13.3. A fast one makes 20 examples a second in steps of 10 or 20.
    """
    made = imported(tmp_path)
    (job,), (kind,) = made.jobs, made.types
    assert (job.gpus, job.gpu, job.duration_s, job.arrival_s) == (2, "slow", 8100, 5)
    assert (job.type, kind.name, job.model) == ("mine-2-slow", "mine-2-slow", "mine")
    assert [str(one.share) for one in kind.phases] == ["0.444444", "0.333334", "0.222222"]
    assert speeds(made) == [
        {("slow", 1): 1, ("slow", 2): 1, ("fast", 1): 2},
        {("slow", 1): 0.75, ("slow", 2): 1, ("fast", 1): 1.5},
        {("slow", 1): 0.666667, ("slow", 2): 1, ("fast", 1): 1},
    ]
    assert made.restart_s == 30


def test_gradients_are_linear_between_batch_sizes(tmp_path: Path) -> None:
    """Between 10 and 30, a batch of 20 has the squared norm 3 and the variance 3.

    Its examples count (3 + 3) / (3 + 2 * 3) = 2/3 each. On two GPUs that is 13.3 a second. One GPU
    makes 10 a second in steps of 10, and 8.9 in steps of 20.
    """
    trainings = {"validation-10": NOISE + "3600,2,0\n", "validation-30": NOISE + "3600,4,6\n"}
    kinds = {"placements-slow": STEPS + "1,10,1,0.5\n2,10,1,0.9\n"}
    (tmp_path / "mine").mkdir()
    for name, text in {**kinds, **trainings}.items():
        (tmp_path / "mine" / f"{name}.csv").write_text(text)
    path = tmp_path / "workload.csv"
    path.write_text(JOBS + "a,0,mine,1,20\n")
    made = read_kinds_workload(tmp_path, path, "1x2:slow", name="x", stretches=1).instance
    assert [job.duration_s for job in made.jobs] == [3600]
    assert speeds(made) == [{("slow", 1): 1, ("slow", 2): 1.333333}]


def test_scalability_counts_by_its_servers(tmp_path: Path) -> None:
    """Four GPUs of two servers were measured in both files, and on four servers in one."""
    more = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n2,4,5,1,0.1\n4,4,5,0.1,0.05\n"
    made = imported(tmp_path, **{"scalability-slow": more})
    assert [phase["slow", 4] for phase in speeds(made)] == [1, 1, 1]


def test_a_job_requests_gpus_that_were_measured(tmp_path: Path) -> None:
    made = imported(tmp_path, jobs="a,0,mine,5,20\nb,0,mine,1,20\n")
    assert [(job.gpus, job.gpu) for job in made.jobs] == [(2, "slow"), (1, "slow")]


def test_widths_beyond_the_kind_and_unknown_applications_are_left_out(tmp_path: Path) -> None:
    jobs = "a,0,mine,1,20\nb,0,other,1,20\n"
    made = imported(tmp_path, jobs=jobs, servers="1x1:slow,1x4:fast")
    assert [job.name for job in made.jobs] == ["a"]
    assert speeds(made)[0] == {("slow", 1): 1, ("fast", 1): 2}
    path = tmp_path / "workload.csv"
    _, remarks = read_kinds_workload(tmp_path, path, SERVERS, name="x", stretches=1)
    assert "left out: 1 job of other, which was not measured" in remarks


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"servers": "2x2:slow,1x4"}, "--servers: found .*, expected a kind of GPUs for every"),
        ({"servers": "2x2:odd"}, "application: found nothing, expected .* measurements on odd"),
        ({"jobs": "a,0,other,1,1\n"}, "expected an application with measurements on slow or fast"),
        ({"jobs": "a,0,mine,0,1\n"}, "line 2, name: found 'a', expected a name, a time"),
        ({"validation-10": NOISE + "2,1,1\n2,1,1\n"}, "expected progress that rises"),
        ({"placements-slow": STEPS + "1x,10,1,0\n"}, "line 2, placement: found '1x', .* GPUs"),
        ({"placements-slow": STEPS + "1,10,1,2\n"}, "less time for the exchange"),
        ({"placements-slow": "placement,step_time\n1,1\n"}, "expected a column local_bsz"),
    ],
)
def test_faults_are_named(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        imported(tmp_path, **changed)
