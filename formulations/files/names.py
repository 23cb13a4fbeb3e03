"""Names as Pyomo writes them, and as files of programs can hold them.

MPS and LP files take no brackets, blanks or operators in names. So brackets become
parentheses, ``capacity[s1,3]`` is ``capacity(s1,3)`` there, and every character but letters,
digits, ``_``, ``~`` and ``,`` becomes ``#``, its hexadecimal code and a dot. A name that begins
with no letter, or that a reader could take for a number or a keyword, is led by ``_``.
Different names stay different, and `from_file` finds the name again.
"""

import re

CODED = re.compile(r"[^A-Za-z0-9_,~\[\]]")
CODE = re.compile(r"#(10[0-9a-f]{4}|[0-9a-f]{1,5})\.")
MISTAKEN = re.compile(
    r"[^A-Za-z]|e\d|inf|nan|(free|end|st|obj|bounds?|bin(s|ary|aries)?|gen(s|erals?)?"
    r"|int(s|egers?)?|sec|semis?|sos|min(imi[sz]e)?|max(imi[sz]e)?)$",
    re.IGNORECASE,
)
BRACKETS, PARENTHESES = str.maketrans("[]", "()"), str.maketrans("()", "[]")

QUOTED = re.compile(r"""[()\[\],.'":\\]|^\|""")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|-?inf|nan", re.ASCII)


def label(index: str) -> str:
    """Write the name of a job or server as Pyomo writes it in an index."""
    text = repr(index)
    plain = text[1:-1]
    return text if QUOTED.search(plain) or NUMBER.fullmatch(plain) else plain


def to_file(name: str) -> str:
    """Return a name as MPS, LP and .sol files can hold it."""
    text = CODED.sub(lambda found: f"#{ord(found[0]):x}.", name).translate(BRACKETS)
    return f"_{text}" if MISTAKEN.match(text) else text


def from_file(text: str) -> str:
    """Return the name that `to_file` wrote."""
    name = text.removeprefix("_").translate(PARENTHESES)
    return CODE.sub(lambda found: chr(int(found[1], 16)), name)


def number(value: float) -> str:
    """Write a number in the fewest digits that read back to the same double."""
    return repr(float(value)).removesuffix(".0")
