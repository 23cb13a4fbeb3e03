"""Is it legal, what does it cost? The judge: exact, and independent of every engine.

It knows the data model in `instances/` and the standard library, nothing else. All arithmetic
is on `fractions.Fraction`; no tolerance appears anywhere. The judge of a family is
a file of its own, which is imported when a schedule of the family is checked.
"""

from .judge import AnyVerdict, Violation, check

__all__ = ["AnyVerdict", "Violation", "check"]
