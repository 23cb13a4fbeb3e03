"""What the SJF-BCO paper (arXiv 2207.07817) shows in its Figures 4-7, read off its plots.

Each number may be off by `READING` slots. A point is named by its figure's labels; it has the
makespan and, in Figure 4, the average job completion time.
"""

READING = 10
"""How far a number may be from the paper's, in slots."""

Point = tuple[str, ...]

FIGURES: dict[int, dict[Point, tuple[int, int | None]]] = {
    4: {
        ("SJF-BCO",): (535, 180),
        ("LS",): (595, 185),
        ("FF",): (720, 450),
        ("RAND",): (1130, 260),
    },
    5: {
        ("1",): (626, None),
        ("2",): (565, None),
        ("4",): (541, None),
        ("8",): (535, None),
        ("10",): (700, None),
        ("16",): (750, None),
        ("32",): (737, None),
    },
    6: {
        ("10", "SJF-BCO"): (940, None),
        ("10", "LS"): (1160, None),
        ("10", "FF"): (1410, None),
        ("10", "RAND"): (1490, None),
        ("15", "SJF-BCO"): (715, None),
        ("15", "LS"): (870, None),
        ("15", "FF"): (965, None),
        ("15", "RAND"): (1265, None),
        ("20", "SJF-BCO"): (535, None),
        ("20", "LS"): (595, None),
        ("20", "FF"): (720, None),
        ("20", "RAND"): (1130, None),
    },
    7: {
        ("1",): (1042, None),
        ("2",): (882, None),
        ("4",): (730, None),
        ("8",): (537, None),
    },
}
"""Makespan and average completion by figure and point; None where the paper shows none."""
