"""Is it legal, what does it cost? The judge: exact, and independent of every engine.

It knows the nouns of `instances/` and the standard library, nothing else. All arithmetic
is on `fractions.Fraction`; no tolerance appears anywhere. What a family's own judge says stands
in that judge's file, which is imported when a schedule of the family is checked.
"""

from .judge import AnyVerdict, Violation, check

__all__ = ["AnyVerdict", "Violation", "check"]
