"""Random tiny `online` instances: two jobs, two machines, three slots, few workers."""

from decimal import Decimal
from random import Random

from ringyard.instances import Machine, OnlineInstance, TrainingJob
from ringyard.instances.online.utility import Deadline, Level, Linear, Sigmoid, StepUtility, Utility


def tiny(seed: int, jobs: int = 2, machines: int = 2, slots: int = 3) -> OnlineInstance:
    """Return the instance of a seed; about a third have machines for one sort of part only."""
    luck = Random(seed)
    while True:
        instance = drawn(luck, f"tiny-{seed}", jobs, machines, slots)
        if not any(instance.problems()):
            return instance


def drawn(luck: Random, name: str, jobs: int, machines: int, slots: int) -> OnlineInstance:
    """Draw an instance, in which a job may fit nowhere."""
    apart = luck.random() < 0.35
    hosts = [luck.choice(["both", "workers", "servers"]) if apart else "both" for _ in range(9)]
    return OnlineInstance(
        name=name,
        machines=tuple(
            Machine(
                name=f"m{h}",
                capacity=(
                    ("cpu", Decimal(luck.randint(2, 5))),
                    ("gpu", Decimal(luck.randint(1, 3))),
                ),
                hosts=hosts[h],
            )
            for h in range(machines)
        ),
        jobs=tuple(job(luck, f"j{i}", slots) for i in range(jobs)),
        horizon_slots=slots,
        slot_s=Decimal(luck.choice(["1", "2"])),
    )


def job(luck: Random, name: str, slots: int) -> TrainingJob:
    """Draw a job whose work takes a few workers a few slots."""
    external = Decimal(luck.choice(["0.25", "0.5", "1"]))
    return TrainingJob(
        name=name,
        arrival_slot=luck.randint(0, slots - 1) if luck.random() < 0.5 else 0,
        epochs=luck.randint(1, 2),
        samples=luck.randint(1, 12),
        batch_samples=luck.randint(1, 3),
        sample_s=Decimal(luck.choice(["0.1", "0.2", "0.3"])),
        gradient_gb=Decimal(luck.choice(["0", "0.1", "0.2"])),
        workers_per_server=Decimal(luck.choice(["1", "1.5", "2", "3"])),
        internal_gb_s=external * luck.choice([1, 2, 10]),
        external_gb_s=external,
        worker=(*cpus(luck, 0, 2), ("gpu", Decimal(1))),
        server=cpus(luck, 1, 2),
        utility=utility(luck),
    )


def cpus(luck: Random, least: int, most: int) -> tuple[tuple[str, Decimal], ...]:
    """Draw a number of CPUs; none is not named."""
    number = luck.randint(least, most)
    return (("cpu", Decimal(number)),) if number else ()


def utility(luck: Random) -> Utility:
    """Draw a utility of any sort."""
    value = Decimal(luck.randint(1, 20))
    return luck.choice(
        [
            Sigmoid(
                value=value, steepness=Decimal(luck.choice(["0", "0.7", "5"])), midpoint_slots=1
            ),
            Deadline(value=value, slots=luck.randint(0, 2)),
            Linear(value=value, loss_per_slot=Decimal(2)),
            StepUtility(
                levels=(Level(until_slot=0, value=value), Level(until_slot=1, value=value / 2))
            ),
        ]
    )
