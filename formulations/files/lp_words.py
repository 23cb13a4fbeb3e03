"""The words of the LP format: heads of sections, numbers, comparisons, names and signs."""

import re
from typing import NamedTuple

HEADS = {
    "minimize": re.compile(r"min(imi[sz]e|imum)?", re.IGNORECASE),
    "maximize": re.compile(r"max(imi[sz]e|imum)?", re.IGNORECASE),
    "rows": re.compile(r"subject\s+to|such\s+that|st\.?|s\.\s*t\.", re.IGNORECASE),
    "bounds": re.compile(r"bounds?", re.IGNORECASE),
    "general": re.compile(r"gen(erals?)?|int(egers?)?", re.IGNORECASE),
    "binary": re.compile(r"bin(ary|aries)?", re.IGNORECASE),
    "semi": re.compile(r"semis?|semi-continuous", re.IGNORECASE),
    "end": re.compile(r"end", re.IGNORECASE),
}
OTHERS = re.compile(
    r"(sos\d?|pwlobj|lazy\s+constraints|user\s+cuts|general\s+constraints?|multi-objectives?)$",
    re.IGNORECASE,
)
"""Sections of some writers that the format did not begin with."""

LETTERS = r"A-Za-z!\"#$%&(),;?@_'`{}|~"
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<sense><=|=<|>=|=>|<|>|=)"
    rf"|(?P<name>[{LETTERS}][{LETTERS}0-9./]*)"
    r"|(?P<sign>[-+:]))"
)


class Token(NamedTuple):
    """A number, a comparison, a name or a sign, and where it stands."""

    kind: str
    text: str
    line: int


def tokens_of(line: str, number: int) -> tuple[list[Token], str]:
    """Return the tokens that begin a line, and the rest, which begins with none."""
    tokens: list[Token] = []
    at = 0
    while (found := TOKEN.match(line, at)) is not None:
        kind = str(found.lastgroup)
        tokens.append(Token(kind, found[kind], number))
        at = found.end()
    return tokens, line[at:].strip()
