"""A family of worst cases for prices: jobs that are worth more and more on one machine.

The only random number is the first utility, from `random.Random.random`, whose stream Python
guarantees. A family, a seed and options therefore name the same instance everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar

from ..draw import between, exact
from ..reading.vocabulary import Count, Mix, Range
from . import Linear, Machine, OnlineInstance, TrainingJob


@dataclass(frozen=True, slots=True, kw_only=True)
class RisingValues(Mix):
    """Options of the family: one machine for `room` jobs, in one slot, filled `levels` + 1 times.

    All jobs of a level fill the machine, and come before those of the next level, which are worth
    more by the same factor. The last are worth `ratio` times the first. A method that does not know
    whether better jobs follow has to keep room for them at every level. The optimum takes the last.
    """

    room: Annotated[Count, "jobs that fill the machine"] = 100
    levels: Annotated[Count, "levels after the first"] = 30
    ratio: Annotated[Annotated[Decimal, Range(2, 10**9)], "last utility over the first (U/L)"] = (
        Decimal(20)
    )

    TAG: ClassVar = "{self.levels}x{self.room}"

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return self.room * (self.levels + 1)

    def build(self, seed: int, name: str) -> OnlineInstance:
        """Return the instance whose first utility a seed draws."""
        first = between(Random(seed), 1, 10)
        worth = [
            exact(first * float(self.ratio) ** (k / self.levels), 6) for k in range(self.levels + 1)
        ]
        digits = len(str(self.jobs - 1))
        part = (("cpu", Decimal(1)),)
        return OnlineInstance(
            name=name,
            machines=(Machine(name="m0", capacity=(("cpu", Decimal(2 * self.room)),)),),
            jobs=tuple(
                TrainingJob(
                    name=f"j{i:0{digits}}",
                    samples=1,
                    batch_samples=1,
                    sample_s=Decimal(1),
                    internal_gb_s=Decimal(1),
                    external_gb_s=Decimal(1),
                    worker=part,
                    server=part,
                    utility=Linear(
                        value=worth[i // self.room],
                        loss_per_slot=Decimal(0),
                        least=worth[i // self.room],
                    ),
                )
                for i in range(self.jobs)
            ),
            horizon_slots=1,
        )
