"""A workload of Pollux becomes a trace: times of phases, batch sizes and requests by hand.

On one GPU an example takes 0.1 s, on two GPUs of one server 0.05 s and 0.5 s more for a step. The
smallest training has 20 examples a step, and 3,600 steps in each of two epochs. All its gradients
are noise, so that an example of a large batch counts in full.
"""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from ringyard.instances import InputError, TraceInstance
from ringyard.instances.importers.phases import Jobs, read_jobs

PLACEMENTS = """\
placement,local_bsz,step_time,sync_time
1,10,1,0
1,20,2,0
2,10,1.5,0.5
2,20,2.5,0.5
11,10,1,0.1
11,20,2,0.1
"""
TRAINED = "progress,iteration,metric,grad_sqr,grad_var\n"
NOISE = TRAINED + "3600,1,0,0,1\n7200,2,0,0,1\n"
HEAD = "name,time,application,num_replicas,batch_size\n"
Read = Callable[..., Jobs]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that imports lines of a workload of one application."""

    def call(lines: str, head: str = HEAD, files: dict[str, str] | None = None, **more) -> Jobs:
        folder = tmp_path / "profiles" / "mine"
        folder.mkdir(parents=True, exist_ok=True)
        texts = {"placements": PLACEMENTS, "validation-20": NOISE, "validation-40": NOISE}
        for kind, text in (texts | (files or {})).items():
            (folder / f"{kind}.csv").write_text(text)
        workload = tmp_path / "workload.csv"
        workload.write_text(head + lines)
        given = {"name": "x", "stretches": 2} | more
        return read_jobs(tmp_path / "profiles", workload, "2x2", **given)

    return call


def seconds(instance: TraceInstance) -> dict[str, list[list[float]]]:
    """Return for each type and phase its seconds on one GPU, on two GPUs, and so on."""
    took = {job.type: float(job.duration_s) for job in instance.jobs}
    return {
        one.name: [
            [float(phase.share) * took[one.name] / float(w.speed) for w in phase.speeds]
            for phase in one.phases
        ]
        for one in instance.types
    }


def test_batch_sizes_are_tuned(read: Read) -> None:
    """72,000 examples an epoch: 0.1 s each on one GPU, 2.5 s per 40 on two. One server counts."""
    made = read("b,9,mine,2,30\na,0,mine,1,20\n").instance
    for found in seconds(made).values():
        assert found == [pytest.approx([7200, 4500], rel=1e-5)] * 2
    requests = [(j.name, j.arrival_s, j.gpus, j.duration_s, j.type, j.model) for j in made.jobs]
    assert requests == [
        ("a", 0, 1, 14400, "mine 1", "mine"),
        ("b", 9, 2, 9000, "mine 2", "mine"),
    ]


def test_batch_sizes_of_the_workload_are_kept(read: Read) -> None:
    """15 examples on each of two GPUs take 2 s, and on one GPU twice 15 take 3 s."""
    made = read("a,0,mine,2,30\n", batches="workload").instance
    assert seconds(made) == {"mine 2x30": [pytest.approx([7200, 4800], rel=1e-5)] * 2}


def test_gradients_of_several_batches_are_exchanged_once(read: Read) -> None:
    """One GPU takes two batches of 20 for 40 examples: 2 s, then 1.6 s without the exchange."""
    lines = PLACEMENTS.replace("1,20,2,0\n", "1,20,2,0.4\n")
    made = read("a,0,mine,1,40\n", batches="workload", files={"placements": lines}).instance
    assert seconds(made) == {"mine 1x40": [pytest.approx([6480, 4500], rel=1e-5)] * 2}
    unknown = lines.replace("sync_time", "other")
    with pytest.raises(InputError, match="on a number of GPUs that was measured"):
        read("a,0,mine,1,40\n", batches="workload", files={"placements": unknown})


def test_gradients_are_linear_between_trainings(read: Read) -> None:
    """At 30 the squared norm is 2 and the variance 1: an example counts (1 + 2) / (1 + 3)."""
    files = {
        "validation-20": NOISE.replace(",0,1\n", ",1,1\n"),
        "validation-40": NOISE.replace(",0,1\n", ",3,1\n"),
    }
    made = read("a,0,mine,2,30\n", batches="workload", files=files).instance
    assert seconds(made) == {"mine 2x30": [pytest.approx([9600, 6400], rel=1e-5)] * 2}


def test_the_first_segment_takes_the_start_longer(read: Read) -> None:
    made = read("a,0,mine,1,20\n", start_s=30, restart_s=Decimal(30)).instance
    first, second = seconds(made)["mine 1"]
    assert first == pytest.approx([7230, 4530], rel=1e-5)
    assert second == pytest.approx([7200, 4500], rel=1e-5)
    assert (made.jobs[0].duration_s, made.restart_s) == (14430, 30)


def test_segments_have_equally_many_epochs(read: Read) -> None:
    (only,) = seconds(read("a,0,mine,1,20\n", stretches=1).instance)["mine 1"]
    assert only == pytest.approx([14400, 9000], rel=1e-5)


def test_without_trainings_work_is_assumed(read: Read, tmp_path: Path) -> None:
    """An hour on one GPU, at the most examples per second: 10, and 20 across two servers."""
    read("a,0,mine,1,20\n")
    for path in (tmp_path / "profiles").rglob("validation-*.csv"):
        path.unlink()
    made, remarks = read_jobs(
        tmp_path / "profiles", tmp_path / "workload.csv", "2x2", name="x", stretches=4
    )
    assert seconds(made) == {"mine 1": [pytest.approx([3600, 1800], rel=1e-5)]}
    assert any("assumed: that an example" in one for one in remarks)


def test_requests_without_a_column_are_what_users_ask_for(read: Read) -> None:
    made = read("a,0,mine\n", head="name,time,application\n").instance
    assert [(job.gpus, job.type) for job in made.jobs] == [(1, "mine 1")]


def test_jobs_without_measurements_are_left_out_and_told(read: Read) -> None:
    lines = "a,0,mine,2,30\nb,1,mine,3,30\nc,2,other,1,8\nd,3,mine,0,30\n"
    made, remarks = read(lines, batches="workload")
    assert [job.name for job in made.jobs] == ["a"]
    left = [one for one in remarks if one.startswith("left out")]
    assert left[:2] == [
        "left out: 1 job of mine 3x30, which has no profile",
        "left out: 1 job of other 1x8, which has no profile",
    ]
    assert "first line 5: d,3,mine,0,30" in left[2]


@pytest.mark.parametrize(
    ("lines", "head", "words"),
    [
        ("a,1,other,1,8\n", HEAD, "expected jobs of mine"),
        ("a,1.5,mine,1,8\n", HEAD, "line 2, time: found '1.5'"),
        ("a,1,mine,1,x\n", HEAD, "line 2, batch_size: found 'x'"),
        ("a,1,mine\n", "name,time,application\n", "expected a column num_replicas"),
    ],
)
def test_faults_are_told(read: Read, lines: str, head: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(lines, head, batches="workload", strict=True)


STEPS = "placement,local_bsz,step_time,sync_time\n"
EPOCHS = "progress,grad_sqr,grad_var\n3600,2,0\n7200,1,1\n10800,0,1\n"
ON_KINDS = {
    "placements-slow": STEPS + "1,10,1,0.5\n2,10,1,0.5\n11,10,0.9,0.5\n",
    "placements-fast": STEPS + "1,10,0.5,0\n",
    "validation-10": EPOCHS,
    "validation-20": EPOCHS,
}


def on_kinds(
    folder: Path, *, line: str = "a,5,mine,3,20\n", servers: str = "2x2:slow,1x4:fast", **more: str
) -> Jobs:
    """Import a line of a workload whose application was measured on two kinds."""
    (folder / "mine").mkdir()
    for kind, text in (ON_KINDS | more).items():
        (folder / "mine" / f"{kind}.csv").write_text(text)
    workload = folder / "workload.csv"
    workload.write_text(HEAD + line)
    return read_jobs(folder, workload, servers, name="x", stretches=3)


def test_speeds_are_those_of_every_kind(tmp_path: Path) -> None:
    """An epoch is 36,000 examples. Without noise an example of 20 counts 1/2, then 2/3, then 1.

    On two slow GPUs steps of 20 take 1 s: goodput is 10, 13.3 and 20 per second, so that epochs
    take 3600, 2700 and 1800 s. One slow GPU needs 1 s for 10, or 1.5 s for two passes: goodput is
    10, 10 and 13.3. A fast one makes 20 examples a second in steps of 10 or 20. Three GPUs were not
    measured, so the job requests two.
    """
    made = on_kinds(tmp_path).instance
    (job,), (kind,) = made.jobs, made.types
    assert (job.gpus, job.gpu, job.duration_s, job.type) == (2, "slow", 8100, "mine 3")
    assert [str(one.share) for one in kind.phases] == ["0.444444", "0.333334", "0.222222"]
    found = [{(w.gpu, w.gpus): round(float(w.speed), 4) for w in p.speeds} for p in kind.phases]
    assert found == [
        {("slow", 1): 1, ("slow", 2): 1, ("fast", 1): 2},
        {("slow", 1): 0.75, ("slow", 2): 1, ("fast", 1): 1.5},
        {("slow", 1): 0.6667, ("slow", 2): 1, ("fast", 1): 1},
    ]


def test_scalability_counts_by_its_servers(tmp_path: Path) -> None:
    """Four GPUs on two servers take 1 s for 20 examples. Four servers do not count."""
    lines = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n2,4,5,1,0.1\n4,4,5,0.1,0.05\n"
    made = on_kinds(tmp_path, **{"scalability-slow": lines}).instance
    speeds = [float(w.speed) for p in made.types[0].phases for w in p.speeds if w.gpus == 4]
    assert speeds == [pytest.approx(1, abs=1e-5)] * 3


def test_more_gpus_than_a_kind_has_are_left_out(tmp_path: Path) -> None:
    made = on_kinds(tmp_path, servers="1x1:slow,1x4:fast").instance
    assert {(w.gpu, w.gpus) for w in made.types[0].phases[0].speeds} == {("slow", 1), ("fast", 1)}


@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ("2x2:slow,1x4", "--servers: found '2x2:slow,1x4', expected a kind of GPUs for every"),
        ("2x2:odd", "file: found nothing, expected APPLICATION/placements-odd.csv"),
    ],
)
def test_kinds_are_named_and_measured(tmp_path: Path, servers: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        on_kinds(tmp_path, servers=servers)
