"""Tables of made-up cells, and names that nobody should give to anything."""

from ringyard.analysis.intervals import Interval, student
from ringyard.analysis.tables import Cell, Column, Table

HOSTILE = (
    r"\input{secret} & 50 % of #1 \\",
    "[4pt] * {a_b}^2 ~ $x$ | <b> `c` \"d\" 'e'",
    "[first](http://example.org) --- \\end{tabular}",
    "tab\there, line\nbreak, \x07, κ, 環",
    "*starred",
    "",
    "=cmd|' /C calc'!A0",
    "+1 -1 @sum",
    "&lt;script&gt; **bold** \\| |",
    "é ü ñ Łódź Gödel ß \N{MULTIPLICATION SIGN} ≤ ∞ \N{EN DASH} — … “",
    "\u200f right \u202e left العربية 😀 👩\u200d🔬 \ud800",
    "x" * 300,
    "word_without_break-" * 12,
    "W" * 60 + " " + "%" * 60,
    "-------",
)

NAMES = Table(
    caption="Names & all: " + HOSTILE[0],
    columns=(
        Column(head="name_1", digits=None),
        Column(head="a | b", best="min"),
        Column(head="%", digits=2),
    ),
    rows=tuple((name, student([1, 2, 3 + i]), None) for i, name in enumerate(HOSTILE)),
    notes=HOSTILE[1:2] + HOSTILE[9:],
)

EVERYWHERE = Table(
    caption=" ".join(HOSTILE),
    columns=tuple(
        Column(head=name, digits=digits, over=name if i < 3 else "")
        for i, name in enumerate(HOSTILE[:13])
        for digits in [None if i % 3 else 1]
    ),
    rows=tuple(tuple(HOSTILE[(i + j) % 13] for j in range(13)) for i in range(2)),
)

MIXED = Table(
    caption="Numbers of all kinds",
    columns=(
        Column(head="method", digits=None),
        Column(head="time", digits=2, best="min", over="all runs"),
        Column(head="solved", best="max", over="all runs"),
        Column(head="left"),
        Column(head="interval", digits=1, best="max"),
    ),
    rows=(
        ("aa", 1.251, 3, -1234567.0, Interval(mean=-1.5, low=-12.25, high=9, count=3)),
        ("bb", 1.254, 7, None, None),
        ("cc", 12.3, 7, "killed", student([4])),
        ("dd", float("inf"), 0, 1e22, "no schedule"),
    ),
)


def groups(count: int = 3, long: bool = False) -> Table:
    """Return a table of groups; a long one is higher than a page."""
    rows: list[tuple[Cell, ...]] = [
        (f"group-{group}", f"method-{method}", 100 * group + method % 3, "a reason " * 9 * long)
        for group in range(count)
        for method in range(4)
    ]
    heads = (Column(head="group", digits=None), Column(head="method", digits=None))
    columns = (*heads, Column(head="value", best="min"), Column(head="why", digits=None))
    return Table(caption="Groups", columns=columns, rows=tuple(rows), notes=("So.",), shared=1)


def wide(columns: int) -> Table:
    """Return a table of so many columns of numbers."""
    heads = tuple(Column(head=f"disjunctive-bigm:highs-{i}", digits=2) for i in range(columns))
    rows = tuple((f"small-{i}", *(i * 1.5**j for j in range(columns))) for i in range(3))
    return Table(caption="Wide", columns=(Column(head="instance", digits=None), *heads), rows=rows)


EMPTY = Table(
    caption="Nothing",
    columns=(Column(head="instance", digits=None), Column(head="value", best="min")),
    rows=(),
)

TABLES = {
    "names": NAMES,
    "everywhere": EVERYWHERE,
    "mixed": MIXED,
    "groups": groups(),
    "long": groups(12, long=True),
    "wide": wide(8),
    "wider": wide(17),
    "empty": EMPTY,
}
"""By label."""
