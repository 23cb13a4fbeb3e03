"""The exact judge of feasibility and cost, independent of every engine.

It uses only the data model in `instances/` and the standard library. All arithmetic is on
`fractions.Fraction`, without any tolerance. Each family's judge is a separate file, imported when a
schedule of the family is checked.
"""

from .judge import AnyVerdict, Violation, check

__all__ = ["AnyVerdict", "Violation", "check"]
