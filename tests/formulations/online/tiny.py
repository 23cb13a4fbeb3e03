"""Random tiny `online` instances: two jobs, two machines, three slots, few workers."""

from decimal import Decimal
from random import Random

from ringyard.instances import Machine, OnlineInstance, TrainingJob
from ringyard.instances.online import Deadline, Level, Linear, Sigmoid, Step, Utility


def tiny(seed: int, jobs: int = 2, machines: int = 2, slots: int = 3) -> OnlineInstance:
    """Return the instance of a seed; about a third have machines for one sort of part only."""
    rng = Random(seed)
    while True:
        instance = drawn(rng, f"tiny-{seed}", jobs, machines, slots)
        if not any(instance.problems()):
            return instance


def drawn(rng: Random, name: str, jobs: int, machines: int, slots: int) -> OnlineInstance:
    """Draw an instance, in which a job may fit nowhere."""
    apart = rng.random() < 0.35
    hosts = [rng.choice(["both", "workers", "servers"]) if apart else "both" for _ in range(9)]
    return OnlineInstance(
        name=name,
        machines=tuple(
            Machine(
                name=f"m{h}",
                capacity=(
                    ("cpu", Decimal(rng.randint(2, 5))),
                    ("gpu", Decimal(rng.randint(1, 3))),
                ),
                hosts=hosts[h],
            )
            for h in range(machines)
        ),
        jobs=tuple(job(rng, f"j{i}", slots) for i in range(jobs)),
        horizon_slots=slots,
        slot_s=Decimal(rng.choice(["1", "2"])),
    )


def job(rng: Random, name: str, slots: int) -> TrainingJob:
    """Draw a job whose work takes a few workers a few slots."""
    external = Decimal(rng.choice(["0.25", "0.5", "1"]))
    return TrainingJob(
        name=name,
        arrival_slot=rng.randint(0, slots - 1) if rng.random() < 0.5 else 0,
        epochs=rng.randint(1, 2),
        samples=rng.randint(1, 12),
        batch_samples=rng.randint(1, 3),
        sample_s=Decimal(rng.choice(["0.1", "0.2", "0.3"])),
        gradient_gb=Decimal(rng.choice(["0", "0.1", "0.2"])),
        workers_per_server=Decimal(rng.choice(["1", "1.5", "2", "3"])),
        internal_gb_s=external * rng.choice([1, 2, 10]),
        external_gb_s=external,
        worker=(*cpus(rng, 0, 2), ("gpu", Decimal(1))),
        server=cpus(rng, 1, 2),
        utility=utility(rng),
    )


def cpus(rng: Random, least: int, most: int) -> tuple[tuple[str, Decimal], ...]:
    """Draw a number of CPUs; none is not named."""
    number = rng.randint(least, most)
    return (("cpu", Decimal(number)),) if number else ()


def utility(rng: Random) -> Utility:
    """Draw a utility of any sort."""
    value = Decimal(rng.randint(1, 20))
    return rng.choice(
        [
            Sigmoid(
                value=value, steepness=Decimal(rng.choice(["0", "0.7", "5"])), midpoint_slots=1
            ),
            Deadline(value=value, slots=rng.randint(0, 2)),
            Linear(value=value, loss_per_slot=Decimal(2)),
            Step(levels=(Level(until_slot=0, value=value), Level(until_slot=1, value=value / 2))),
        ]
    )
