"""Measured profiles become speed-ups: the most throughput on k GPUs over the most on one."""

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from ringyard.instances import InputError, RentalInstance, SpeedTable, validate
from ringyard.instances.importers.pollux import read_profiles, read_workload

REAL = Path(__file__).parents[4] / "shared" / "traces" / "pollux-profiles"
"""The public files; not part of the repository."""

PLACEMENTS = """\
placement,local_bsz,step_time,sync_time
1,8,0.5,0.01
1,4,0.2,0.01
2,8,0.5,0.1
11,8,0.4,0.2
111,8,0.8,0.3
"""
SCALABILITY = """\
num_nodes,num_replicas,local_bsz,step_time,sync_time
2,4,10,0.5,0.1
4,6,10,1,0.1
"""
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes the files of an application into a folder of profiles."""

    def call(app: str = "mine", **files: str) -> Path:
        (tmp_path / app).mkdir(exist_ok=True)
        for kind, text in files.items():
            (tmp_path / app / f"{kind}.csv").write_text(text)
        return tmp_path

    return call


def table(made: RentalInstance) -> list[tuple[str, str]]:
    speedup = made.types[0].epochs[0].speedup
    assert isinstance(speedup, SpeedTable)
    return [(str(point.gpus), str(point.speed)) for point in speedup.points]


def test_the_best_batch_and_placement_count(write: Write) -> None:
    """20 examples a second on 1 GPU, 40 on 2, 30 on 3, 80 on 4, 60 on 6."""
    made = read_profiles(write(placements=PLACEMENTS, scalability=SCALABILITY), name="x").instance
    assert table(made) == [("1", "1"), ("2", "2"), ("3", "2"), ("4", "4")]
    assert made.widths == "whole"


def test_a_table_ends_where_speed_is_greatest(write: Write) -> None:
    made = read_profiles(write(placements=PLACEMENTS), name="x").instance
    assert table(made) == [("1", "1"), ("2", "2")]


def test_rates_are_shares_of_all_arrivals(write: Write) -> None:
    write("ncf", placements=PLACEMENTS)
    folder = write("zebra", placements=PLACEMENTS)
    made = read_profiles(folder, name="x", jobs_per_h=Decimal(49)).instance
    found = {one.name: (one.rate_per_h, one.epochs[0].work_h) for one in made.types}
    assert found == {"ncf": (39, Decimal("0.2")), "zebra": (10, 1)}
    assert made.budget_gpus == 2 * (39 * Decimal("0.2") + 10)


def test_files_may_stand_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "simulator__traces__bert__placements.csv").write_text(PLACEMENTS)
    (tmp_path / "simulator__traces__bert__other.csv").write_text("x\n")
    assert [one.name for one in read_profiles(tmp_path, name="x").instance.types] == ["bert"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PLACEMENTS + "1x,8,1,1\n", "line 7, placement: found '1x', expected digits"),
        (PLACEMENTS + "1,8,-1,1\n", "line 7, step_time: found '-1'"),
        (PLACEMENTS + "1,8,0,1\n", "line 7: found 0, or nothing"),
        (PLACEMENTS.replace("\n1,", "\n2,"), "expected at least one step on 1 GPU"),
        ("placement,step_time\n1,2\n", "expected a column local_bsz"),
    ],
)
def test_faults_are_told(write: Write, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_profiles(write(placements=text), name="x", strict=True)


def test_a_faulty_line_is_left_out_and_told(write: Write) -> None:
    text = PLACEMENTS + "1x,8,1,1\n1,8,0,1\n2,8,0.0\n"
    made, remarks = read_profiles(write(placements=text), name="x")
    assert made.types == read_profiles(write(placements=PLACEMENTS), name="x").instance.types
    left = [text for text in remarks if "left out" in text]
    assert sorted(
        text.partition("; first ")[2] or text.partition("first ")[2] for text in left
    ) == [
        "line 7: 1x,8,1,1",
        "line 8: 1,8,0,1",
        "line 9: 2,8,0.0",
    ]


def test_a_folder_without_profiles_and_rates_below_0_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a folder with APPLICATION/placements"):
        read_profiles(tmp_path, name="x")
    with pytest.raises(InputError, match="--jobs-per-h: found -1"):
        read_profiles(tmp_path, name="x", jobs_per_h=Decimal(-1))


STEPS = """\
placement,local_bsz,step_time
1,10,1
2,10,1
11,5,0.6
"""
TRAINED = "progress,iteration,metric,grad_sqr,grad_var\n"
TRAINING = {
    "placements": STEPS,
    "validation-10": TRAINED + "3600,1,0,2,0\n7200,2,0,1,1\n10800,3,0,0,1\n",
    "validation-20": TRAINED + "3600,1,0,2,0\n7200,2,0,1,1\n10800,3,0,0,1\n14400,4,0,1,1\n",
}


def test_batch_sizes_are_tuned_to_the_noise_of_each_epoch(write: Write) -> None:
    """On two GPUs 20 examples a second in steps of 20, or 16.67 in steps of 10.

    Without noise an example of 20 counts 1/2, with a noise scale of 10 2/3, with nothing but noise
    in full: 16.67 is the best goodput at first and then, 20 at last; 10 on one GPU.
    """
    folder = write(**TRAINING)
    made, remarks = read_profiles(folder, name="x", stretches=3)
    epochs = made.types[0].epochs
    assert [one.work_h for one in epochs] == [1, 1, 1]
    speeds = [str(one.speedup.points[-1].speed) for one in epochs]  # type: ignore[union-attr]
    assert speeds == ["1.6667", "1.6667", "2"]
    assert "measured: the value of an example in a large batch, and the work, of mine" in remarks
    assert made.budget_gpus == 2 * 10 * 3


def test_a_stretch_is_as_fast_as_its_epochs_together(write: Write) -> None:
    """Three hours on one GPU are 0.6 + 0.6 + 0.5 on two."""
    (only,) = read_profiles(write(**TRAINING), name="x", stretches=1).instance.types[0].epochs
    assert only.work_h == 3
    assert isinstance(only.speedup, SpeedTable)
    assert float(only.speedup.points[-1].speed) == pytest.approx(3 / 1.7, abs=1e-4)


def test_beside_a_training_others_are_of_throughput(write: Write) -> None:
    write("trained", **TRAINING)
    made, remarks = read_profiles(write("timed", placements=STEPS), name="x")
    assert {one.name: len(one.epochs) for one in made.types} == {"timed": 1, "trained": 3}
    assert any(
        "of other applications, that an example has the same value" in told for told in remarks
    )


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"validation-10": TRAINED + "2,1,0,1,1\n2,1,0,1,1\n"}, "expected progress that rises"),
        ({"validation-10": TRAINED}, "expected progress that rises"),
        ({"validation-10": TRAINED + "2,1,0,x,1\n"}, "line 2, grad_sqr: found 'x'"),
        ({"validation-11": TRAINED + "2,1,0,1,1\n"}, "1 GPU, .* of at least 11 examples"),
    ],
)
def test_faults_of_trainings_are_told(write: Write, files: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_profiles(write(placements=STEPS, **files), name="x", strict=True)


JOBS = "name,time,application,num_replicas,batch_size\n"


def test_a_workload_has_its_own_jobs_and_the_profiles_work(write: Write, tmp_path: Path) -> None:
    """Three hours each on one GPU, two jobs in an hour: 6 GPUs are busy if each job has one."""
    made, remarks = read_profiles(write(**TRAINING), name="x", stretches=3, timed=True)
    assert not any("arrivals" in told for told in remarks)
    path = tmp_path / "workload.csv"
    path.write_text(JOBS + "b,3599,mine,1,8\nz,4,other,1,8\na,0,mine,1,8\n")
    fleet, told = read_workload(made, path, rescale_s=Decimal(60))
    assert [(job.name, job.arrival_s) for job in fleet.jobs] == [("a", 0), ("b", 3599)]
    assert {job.work_s for job in fleet.jobs} == {(3600, 3600, 3600)}
    assert (fleet.span_s, fleet.budget_gpus, fleet.rescale_s) == (3600, 12, 60)
    assert [one.rate_per_h for one in fleet.types] == [2]
    assert told == ("left out: 1 job of other, which has no profile",)
    assert read_workload(made, path, budget_gpus=Decimal(7)).instance.budget_gpus == 7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (JOBS + "a,1,other,1,8\n", "expected jobs of mine"),
        (JOBS + "a,1.5,mine,1,8\n", "line 2, time: found '1.5'"),
        (JOBS + ",1,mine,1,8\n", "line 2, name"),
        ("name,time\na,1\n", "expected a column application"),
    ],
)
def test_faults_of_workloads_are_told(write: Write, tmp_path: Path, text: str, words: str) -> None:
    made = read_profiles(write(**TRAINING), name="x").instance
    path = tmp_path / "workload.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_workload(made, path, strict=True)


@pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/traces/pollux-profiles")
def test_the_public_profiles() -> None:
    made = read_profiles(REAL, name="x").instance
    validate(made)
    names = [one.name for one in made.types]
    assert names == ["bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"]
    most = {one.name: table(made)[-1][0] for one in made.types}
    assert most["bert"] == "56"
    for one in made.types:
        speedup = one.epochs[0].speedup
        assert isinstance(speedup, SpeedTable)
        speeds = [point.speed for point in speedup.points]
        assert speeds == sorted(speeds)


def test_a_pipe_among_the_profiles_is_refused_and_not_waited_for(write: Write) -> None:
    folder = write(placements=PLACEMENTS)
    (profile,) = folder.rglob("*.csv")
    profile.unlink()
    os.mkfifo(profile)
    with pytest.raises(InputError, match="found not a file"):
        read_profiles(folder, name="x")
