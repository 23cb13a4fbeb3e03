"""The programs of the corpus, by formulation: instances, horizons, and what is relaxed."""

from collections.abc import Iterator
from math import ceil

from ringyard.formulations.corpus.index import ProgramRecipe
from ringyard.instances.catalogue import entries

HANDS = [
    "hand-area",
    "hand-contend",
    "hand-exclusion",
    "hand-idling",
    "hand-packed-rings",
    "hand-lpt",
]
TINY = ["small-03x2", "small-04x2", "small-04x3", "small-05x2", "small-05x3"]
MIDDLE = ["small-06x3", "small-06x3-floor", "small-06x3-half", "small-06x3-release", "small-06x4"]
LARGER = ["small-07x3", "small-08x3", "small-08x5", "small-10x4", "small-12x5", "small-16x6"]
SMALL = [*TINY, *MIDDLE, *LARGER]
ONLINE = [f"hand-online-{name}" for name in ("across", "packing", "servers", "sigmoid", "trap")]
MARKETS = [f"pdors-small-{size}" for size in ("03x2x4", "04x2x5", "05x3x5", "06x3x6", "08x3x6")]
MARKETS += ["pdors-small-10x4x8", "regional-pdors-small"]
TRACES = ["tiny-trace-03x1", "tiny-trace-04x2", "tiresias-example"]
LOGS = ["tiresias-testbed", "philly-500-s0", "helios-500-s0", "pai-500-s0", "elastic-100-s0"]
CONCAVE = ["boa-two-types", *(f"rental-small-s{i}" for i in range(5))]
"""Rentals whose widths may be any, and whose speed-ups are concave."""

RENTALS = [*(f"rental-whole-s{i}" for i in range(3)), "rental-pollux", "rental-stepped"]
SHUFFLES = [f"hand-shuffle-{name}" for name in ("cycle", "dear", "padding", "pair", "pentagon")]
SHUFFLES += ["tiny-shuffle-12x5", "shuffle-120x5", "shuffle-120x5-dear"]
UPDATES = [f"hand-transfers-{name}" for name in ("fair", "group", "moore", "replica", "stale")]
UPDATES += [f"tiny-transfers-s{i}" for i in range(5)]
ORDERED = [UPDATES[0], *UPDATES[2:5]]
QUEUES = ["transfers-s0", "transfers-racks-s0", "transfers-replica-s0", "transfers-stale-s0"]
PAPERS = ["mobihoc-10-s0", "mobihoc-20-s0", "tight-full-s0", "knot-full-s0"]

AT_BEST = {
    "linearised": [*HANDS, *SMALL],
    "patterns": [*HANDS, *SMALL[:-1]],
    "disjunctive": [*HANDS[:3], *TINY, *MIDDLE],
    "disjunctive-hull": [*HANDS[:3], *TINY],
    "nonconvex": [*HANDS, *TINY, *MIDDLE, *LARGER[:3]],
    "occupancy": [*HANDS[:2], *TINY, MIDDLE[0], *MIDDLE[3:], *LARGER],
    "load-limit": [*SMALL[::3], *PAPERS[:2], "mobihoc-15-s0", "mobihoc-20-s7"],
    "columns": [*HANDS, *TINY, "small-06x3", "small-08x3", "small-10x3"],
    "server-configurations": [*HANDS[:2], *SMALL],
    "pooled-starts": [*PAPERS, "mobihoc-20-s1", "knot-half-s0"],
}
"""With the best makespan known as horizon."""

RELAXED = {
    "linearised": ["small-06x3", "small-10x4", "small-16x6"],
    "patterns": ["small-06x3", "small-10x4", "small-12x5"],
    "disjunctive": ["small-06x3", "small-10x4"],
    "disjunctive-hull": ["small-04x3", "small-06x3"],
    "occupancy": ["small-06x3", "small-16x6"],
    "load-limit": ["small-16x6", *PAPERS[:2]],
    "columns": ["small-06x3", "small-10x3"],
    "server-configurations": ["small-06x3", "small-16x6"],
}

SHORT = {"linearised": SMALL[1:6], "patterns": SMALL[1:6], "nonconvex": TINY[1:3]}
"""With a horizon one slot too short: there is no point."""

LONG = {"linearised": SMALL[2:8], "patterns": SMALL[2:8]}
"""With a horizon three slots longer."""

PLAIN = {
    "offline": [*ONLINE, *MARKETS],
    "oasis": [*ONLINE[:2], *MARKETS],
    "schedules": [*ONLINE, *MARKETS[:2]],
    "tickwise": TRACES,
    "shares": RENTALS,
    "pure": RENTALS,
    "cones": CONCAVE,
    "cover": SHUFFLES,
    "order": [*ORDERED, QUEUES[0], QUEUES[3]],
    "groups": [*UPDATES, *QUEUES[:3]],
    "copies": [*UPDATES[3:4], *UPDATES[5:], QUEUES[2]],
}
ALSO_RELAXED = {
    "offline": MARKETS[1:],
    "oasis": MARKETS[3:],
    "schedules": ONLINE[:1],
    "tickwise": TRACES[1:],
    "cover": SHUFFLES[5:7],
    "groups": QUEUES[:2],
    "pure": RENTALS[:2],
}
NUMBERED = {
    "busy-times": [(log, k) for log in LOGS for k in (60, 250)],
    "counting": [(one, t) for one in QUEUES for t in (5, 20)],
    "slot": [(f"pdors-s{i}", 7 * i + 1) for i in range(7)] + [("pdors-large-s0", 17)],
    "ratio-cones": [(f"pdors-s{i}", 3 * i + 1) for i in range(6)]
    + [("pdors-small-10x4x8", 2), ("pdors-roomy-s0", 0)],
    "gadget-slot": [("gadget-small-05x4x6", 5), ("gadget-small-12x6x10", 12)]
    + [(f"gadget-s{i}", n) for i in range(2) for n in (10, 30)],
}
ROUNDS = {
    "configurations": ["small-06x3", "small-08x3", "small-10x3", "small-10x4"],
    "servers": ["small-16x6", *PAPERS],
}


def _drawn(family: str, seed: int = 0, **options: int) -> str:
    """Return the name of an instance that is drawn, and not in the catalogue."""
    words = [f"{key}={value}" for key, value in {**options, "seed": seed}.items()]
    return f"{family}@{','.join(words)}"


def _sized(jobs: int, servers: int, seed: int = 0) -> str:
    return _drawn("small", seed, jobs=jobs, servers=servers)


HARD_AT_BEST = {
    "load-limit": [PAPERS[0], "mobihoc-15-s0", "mobihoc-15-s1", "mobihoc-20-s7"],
    "pooled-starts": [PAPERS[0], *PAPERS[2:], "knot-half-s0"],
}
"""Programs of the hard tier with the best makespan known as horizon."""

HARD_NUMBERED = {
    "linearised": [
        *((_sized(16, 6, seed), 12) for seed in (1, 2, 3)),
        *((_sized(24, 8, seed), 16) for seed in (0, 1)),
        *((_sized(40, 10, seed), 18) for seed in (0, 1)),
    ],
    "disjunctive": [(_sized(16, 6, 1), 12), *((_sized(24, 8, seed), 16) for seed in (0, 1))],
    "patterns": [(_sized(12, 5, seed), 13) for seed in (1, 2, 3)],
    "gadget-slot": [
        *((f"gadget-s{seed}", 100) for seed in range(3)),
        *((_drawn("gadget", seed, jobs=300), 200) for seed in range(4)),
        *((_drawn("gadget", seed, jobs=300), 300) for seed in range(3)),
    ],
    "busy-times": [(log, 2000) for log in LOGS[1:3]],
}
"""Programs of the hard tier with another horizon or number."""

HARD_RELAXED = {
    "occupancy": [
        *(("mobihoc-20-s0", 298), ("mobihoc-15-s0", 440)),
        *(("mobihoc-10-s0", 670), ("tight-full-s0", 500)),
    ],
}
"""Programs of the hard tier without integers, with a horizon."""

HARD_PLAIN = {
    "oasis": [f"pdors-s{seed}" for seed in range(10)],
    "offline": [_drawn("pdors-small", seed, jobs=50, machines=40, slots=20) for seed in range(9)],
    "tickwise": [
        _drawn("tiny-trace", seed, jobs=jobs, servers=1, server_gpus=4)
        for jobs in (40, 45)
        for seed in range(3)
    ],
    "order": [_drawn("transfers", seed, workers=150) for seed in range(5)],
    "cones": [_drawn(f"rental-{mix}", types=400) for mix in ("mixed", "amdahl", "power")],
}
"""Programs of the hard tier without a number."""

HARD_PLAIN_RELAXED = {"oasis": [f"pdors-s{seed}" for seed in range(5)]}
"""Such programs without integers."""


def hard_recipes() -> Iterator[ProgramRecipe]:
    """Yield the candidates of the hard tier: at most 40 % are of one family."""
    for program, names in HARD_AT_BEST.items():
        for name in names:
            yield ProgramRecipe(instance=name, program=program, number=_best(name))
    for relaxed, table in ((False, HARD_NUMBERED), (True, HARD_RELAXED)):
        for program, pairs in table.items():
            for name, number in pairs:
                yield ProgramRecipe(instance=name, program=program, number=number, relaxed=relaxed)
    for relaxed, plain in ((False, HARD_PLAIN), (True, HARD_PLAIN_RELAXED)):
        for program, names in plain.items():
            for name in names:
                yield ProgramRecipe(instance=name, program=program, relaxed=relaxed)


def recipes() -> Iterator[ProgramRecipe]:
    """Yield all programs, family by family."""
    for program, names in AT_BEST.items():
        for name in names:
            yield ProgramRecipe(instance=name, program=program, number=_best(name))
    for shift, table in ((-1, SHORT), (3, LONG)):
        for program, names in table.items():
            for name in names:
                yield ProgramRecipe(instance=name, program=program, number=_best(name) + shift)
    for program, names in RELAXED.items():
        for name in names:
            yield ProgramRecipe(instance=name, program=program, number=_best(name), relaxed=True)
    for relaxed, table in ((False, PLAIN | ROUNDS), (True, ALSO_RELAXED)):
        for program, names in table.items():
            for name in names:
                yield ProgramRecipe(instance=name, program=program, relaxed=relaxed)
    for program, pairs in NUMBERED.items():
        for name, number in pairs:
            yield ProgramRecipe(instance=name, program=program, number=number)
    for name, number in NUMBERED["slot"] + NUMBERED["gadget-slot"][-2:]:
        program = "slot" if name.startswith("pdors") else "gadget-slot"
        yield ProgramRecipe(instance=name, program=program, number=number, relaxed=True)


def _best(name: str) -> int:
    return ceil(entries()[name].upper[0].value)
