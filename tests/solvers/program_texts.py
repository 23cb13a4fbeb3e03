"""Small programs as MPS and LP text: one for each section and convention, and drawn ones.

The writers here share no code with the package.
"""

import numpy as np

HEAD = "NAME t\nROWS\n N obj\n L r\n G g\n"
COLUMNS = (
    "COLUMNS\n x obj 1 r 1\n x g 1\n M1 'MARKER' 'INTORG'\n y obj 1.5 r -1\n y g 2\n"
    " M2 'MARKER' 'INTEND'\n z obj -1 r 1\n"
)
RHS = "RHS\n RHS r 4 g 1\n"
TAIL = "BOUNDS\n UP BND y 9\n UP BND z 7\nENDATA\n"
PLAIN = HEAD + COLUMNS + RHS + TAIL


def bounded(lines: str) -> str:
    """Return the program with other bounds."""
    return HEAD + COLUMNS + RHS + "BOUNDS\n" + lines + "ENDATA\n"


FIXED = """\
NAME          my prob
ROWS
 N  obj
 L  my row
 G  r2
COLUMNS
    x 1       obj                1.0   my row             1.0
    x 1       r2                 1.0
    y         obj               -2.0   my row             3.0
RHS
    RHS       my row             4.0   r2                 1.0
BOUNDS
 UP BND       x 1                3.0
 UP BND       y                  8.0
ENDATA
"""

ALIKE = {
    "plain": PLAIN,
    "fixed, blanks in names": FIXED,
    "windows": PLAIN.replace("\n", "\r\n"),
    "tabs": PLAIN.replace(" ", "\t"),
    "comments": "* first\n" + PLAIN.replace("RHS\n", "* second\nRHS\n\n", 1),
    "a comment behind a dollar": PLAIN.replace("r 4 g 1", "r 4 $ g 1"),
    "after the end": PLAIN + "anything\n",
    "objsense in a line": PLAIN.replace("ROWS", "OBJSENSE MAX\nROWS", 1),
    "objsense below": PLAIN.replace("ROWS", "OBJSENSE\n    MAXIMIZE\nROWS", 1),
    "objsense least": PLAIN.replace("ROWS", "OBJSENSE\n    MIN\nROWS", 1),
    "objective's offset": PLAIN.replace("r 4 g 1", "r 4 obj -2.5"),
    "further free row": PLAIN.replace(" L r", " N other\n L r").replace("r -1", "r -1 other 3"),
    "ranges": PLAIN.replace("BOUNDS", "RANGES\n RNG r 2.5 g -3\nBOUNDS"),
    "range of an equation, below": PLAIN.replace(" G g", " E g").replace(
        "BOUNDS", "RANGES\n RNG g -3\nBOUNDS"
    ),
    "range of an equation, above": PLAIN.replace(" G g", " E g").replace(
        "BOUNDS", "RANGES\n RNG g 3\nBOUNDS"
    ),
    "endless range": PLAIN.replace("BOUNDS", "RANGES\n RNG r 1e30\nBOUNDS"),
    "endless side": PLAIN.replace("r 4", "r 1e30"),
    "endless side below": PLAIN.replace("4 g 1", "4 g -1e30"),
    "endless bounds": bounded(" UP BND y 1e30\n LO BND x -1e30\n UP BND x 5\n UP BND z 1e20\n"),
    "integers without bounds": bounded(" UP BND z 7\n"),
    "integers from 2": bounded(" LO BND y 2\n UP BND z 7\n"),
    "endless integers": bounded(" PL BND y\n UP BND z 7\n"),
    "whole bounds": bounded(" LI BND x 1\n UI BND x 5\n UP BND z 7\n"),
    "binary": bounded(" BV BND x\n UP BND z 7\n UP BND y 3\n"),
    "free and fixed": bounded(" FR BND x\n FX BND y 2\n UP BND z 7\n"),
    "below 0": bounded(" MI BND x\n UP BND x -2\n UP BND z 7\n UP BND y 9\n"),
    "no name of a set of bounds": bounded(" FR x\n UP z 7\n UP y 9\n"),
    "an empty row": PLAIN.replace(" G g", " G e\n G g"),
    "a coefficient of 0": PLAIN.replace("r -1", "r 0"),
    "an integer marker that stays": PLAIN.replace(" M2 'MARKER' 'INTEND'\n", ""),
    "no point": PLAIN.replace("4 g 1", "4 g 1000"),
    "no end": PLAIN.replace(" UP BND z 7\n", "").replace(" L r", " G r"),
    "empty sections": PLAIN.replace("ENDATA", "QUADOBJ\nENDATA"),
    "exponents": PLAIN.replace("r 4", "r .4e+1").replace("g 1\n", "g 10E-1\n"),
}
"""Texts that HiGHS and SCIP read alike."""

LATER = {
    "objname": PLAIN.replace("ROWS", "OBJNAME\n    second\nROWS", 1)
    .replace(" L r", " N second\n L r")
    .replace("z obj -1 r 1", "z second -2 r 1"),
    "lazy rows": PLAIN.replace("COLUMNS", "LAZYCONS\n L lazy\nCOLUMNS").replace(
        "z obj -1 r 1", "z obj -1 lazy 1"
    ),
    "user cuts": PLAIN.replace("COLUMNS", "USERCUTS\n L cut\nCOLUMNS")
    .replace("z obj -1 r 1", "z obj -1 cut 1")
    .replace("4 g 1", "4 cut 8"),
    "no name of a set of ranges": PLAIN.replace("BOUNDS", "RANGES\n r 3\nBOUNDS"),
}
"""Texts that SCIP reads as this package does, and HiGHS not at all, or without a section."""

LP_ALIKE = {
    "heads with text": "max x + y\nst c: x + y <= 4\n d: x - y >= -1\nend\n",
    "an empty row": "min\n x + y\nst\n c: x + y >= 1\n d: = 0\nend\n",
    "binary within bounds": "min\n x + y\nst\n c: x + y >= 1\nbounds\n x = 0\nbin\n x\nend\n",
    "windows": "min\r\n x\r\nst\r\n c: x >= 2\r\nend\r\n",
    "an endless side": "min\n x\nst\n c: x >= -1e30\n d: x <= 1e30\nend\n",
    "names with dots and slashes": "min\n a.b + c/d\nst\n c: 2 a.b + c/d >= 1\nend\n",
    "no objective": "min\n obj:\nst\n c: x + y >= 1\nend\n",
}
"""LP texts that HiGHS and SCIP read alike."""

BINARY = PLAIN.replace(" UP BND y 9\n", " BV BND y\n UP BND x 6\n")

CONDITIONS = {
    "if 1": BINARY.replace("ENDATA", "INDICATORS\n IF r y 1\nENDATA"),
    "if 0": BINARY.replace("ENDATA", "INDICATORS\n IF r y 0\nENDATA"),
    "both rows": BINARY.replace("ENDATA", "INDICATORS\n IF r y 0\n IF g y 1\nENDATA"),
    "an equation": BINARY.replace(" L r", " E r").replace(
        "ENDATA", "INDICATORS\n IF r y 1\nENDATA"
    ),
    "a range": BINARY.replace("BOUNDS", "RANGES\n RNG r 2\nBOUNDS").replace(
        "ENDATA", "INDICATORS\n IF r y 0\nENDATA"
    ),
    "semi-continuous": bounded(" LO BND x 2\n SC BND x 5\n UP BND y 9\n UP BND z 7\n"),
    "semi-continuous from 0": bounded(" SC BND x 5\n UP BND y 9\n UP BND z 7\n"),
    "semi-integer": bounded(" LO BND x 2\n SI BND x 5\n UP BND y 9\n UP BND z 7\n"),
    "two semi-continuous": bounded(
        " SC BND x 5.5\n LO BND x 2.5\n LO BND z 2\n SC BND z 3\n UP BND y 9\n"
    ),
}
"""Texts with conditions, which become rows."""


def drawn_text(seed: int, *, fixed: bool) -> str:
    """Return a program in free or fixed MPS, with sections at random."""
    rng = np.random.default_rng(seed)
    blank = " " if fixed else "_"
    columns = [f"c{blank}{j}" for j in range(rng.integers(2, 7))]
    rows = {f"r{blank}{i}": rng.choice(["L", "G", "E"]) for i in range(rng.integers(1, 6))}

    def line(*words: object) -> str:
        if not fixed:
            return " " + "  ".join(str(word) for word in words if word != "")
        places = (1, 4, 14, 24, 39, 49)
        text = ""
        for place, word in zip(places, words, strict=False):
            text = text.ljust(place) + str(word)
        return text

    def value() -> float:
        return float(rng.integers(-40, 41)) / 4 or 1.0

    def pairs(pairs: list[tuple[str, float]], head: str) -> list[str]:
        found = []
        while pairs:
            count = int(rng.integers(1, 3))
            found.append(line("", head, *(word for pair in pairs[:count] for word in pair)))
            pairs = pairs[count:]
        return found

    text = ["NAME          drawn", *(["OBJSENSE", "    MAX"] if rng.random() < 0.5 else [])]
    text += ["ROWS", line("N", "cost"), *(line(kind, row) for row, kind in rows.items())]
    text += ["COLUMNS"]
    whole = sorted(rng.random(len(columns)) < 0.5)
    for j, column in enumerate(columns):
        if whole[j] and not (j and whole[j - 1]):
            text.append(line("", "MARK", "'MARKER'", "", "'INTORG'"))
        entries = [(row, value()) for row in ("cost", *rows) if rng.random() < 0.7]
        text += pairs(entries or [("cost", 1.0)], column)
        if rng.random() < 0.2:
            text.append("* a comment")
    sides = [(row, value()) for row in ("cost", *rows) if rng.random() < 0.7]
    text += ["RHS", *pairs(sides, "RHS")]
    ranges = [(row, value()) for row in rows if rng.random() < 0.4]
    text += ["RANGES", *pairs(ranges, "RNG")]
    text += ["BOUNDS"]
    for column in columns:
        low, high = sorted([value(), value()])
        kinds = [("LO", low), ("UP", high)], [("FR", "")], [("MI", ""), ("UP", high)]
        others = [("FX", low)], [("BV", "")], [("UP", abs(high))], [("LO", low)], []
        every = (*kinds, *others)
        for kind, number in every[rng.integers(len(every))]:
            text.append(line(kind, "BND", column, number))
    return "\n".join([*text, "ENDATA", ""])


def drawn_lp(seed: int) -> str:
    """Return a program in LP text."""
    rng = np.random.default_rng(seed)
    columns = [f"c{j}" for j in range(rng.integers(2, 7))]

    def terms(all_of: bool = False) -> str:
        found = []
        for column in columns:
            if all_of or rng.random() < 0.7:
                sign, size = rng.choice(["+", "-"]), rng.integers(1, 40) / 4
                found.append(f"{sign} {size:g} {column}" if size != 1 else f"{sign} {column}")
        return (" " if rng.random() < 0.7 else "\n   ").join(found or [f"+ {columns[0]}"])

    text = [rng.choice(["Minimize", "MAXIMUM", "min"]), f" obj: {terms(all_of=True)}"]
    text += [rng.choice(["Subject To", "st", "such that"])]
    for i in range(rng.integers(1, 6)):
        sense = rng.choice(["<=", ">=", "=", "=<", "<"])
        text.append(f" r{i}: {terms()} {sense} {rng.integers(-40, 40) / 4:g}")
        text += ["\\ a comment"] if rng.random() < 0.2 else []
    text.append("Bounds")
    binary = columns[-1:] if rng.random() < 0.5 else []
    for column in columns[: len(columns) - len(binary)]:
        low = rng.integers(-20, 20) / 4
        high = low + rng.integers(0, 20) / 4
        lines = [f"{low:g} <= {column} <= {high:g}", f"{column} free", f"{column} >= {low:g}"]
        lines += [
            f"-inf <= {column} <= {high:g}",
            f"{column} = {low:g}",
            f"{column} <= {abs(high)}",
        ]
        text += [f" {rng.choice(lines)}"] if rng.random() < 0.8 else []
    text += ["General", " " + " ".join(columns[: rng.integers(0, 2)])]
    text += ["Binary", " " + " ".join(binary)]
    return "\n".join([*text, "End", ""])
