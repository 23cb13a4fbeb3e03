"""Workers that have some rows and need others. The answer is a set of messages of least cost."""

from .family import Family, Portrait
from .method import Method, Program, by_program

METHODS = (
    Method(
        name="greedy-cover",
        module=".policies.shuffle:GREEDY_COVER",
        about="sums for as many workers as possible, rows needed by few workers first",
        source="Ringyard, after Birk and Kol 1998",
    ),
    Method(
        name="subsets",
        module=".policies.shuffle:SUBSETS",
        about="one sum for the queue heads of each set of workers, padded to the longest",
        source="coded shuffling, Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="row-by-row",
        module=".policies.shuffle:ROW_BY_ROW",
        about="every row separately, to all workers that miss it or to each of them",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="exact",
        kind="search",
        about="all sums modulo 2, if few rows are missing",
        source="Ringyard, with the least rank of Bar-Yossef et al. 2011, with unicasts",
        guarantee="optimal",
        starts=True,
    ),
    by_program(
        name="cover",
        about="a cheapest cover by cliques of workers that can share a sum",
        source="Birk and Kol 1998, unicasts added by Ringyard",
    ),
)

PROGRAMS = (
    Program(
        name="cover",
        about="sums for cliques of workers that can share one, and unicasts",
        source="Birk and Kol 1998, unicasts added by Ringyard",
    ),
)

SHUFFLE = Family(
    kind="shuffle",
    about=(
        "workers that have rows of data and need other rows. The answer is messages, sums of "
        "rows, from which each worker can decode its rows"
    ),
    objective="load",
    unit="rows",
    instance=".instances.shuffle:ShuffleInstance",
    schedule=".instances.shuffle:ShufflePlan",
    presets=".instances.shuffle.mix:PRESETS",
    extent=lambda one: (one.rows, len(one.workers), 0),
    judge=".analysis.check.shuffle:check_shuffle",
    rules=".analysis.check.shuffle:RULES",
    proofs=".analysis.check.certificates.shuffle:RULES",
    theorems=".analysis.guarantees.shuffle:SHUFFLE",
    claims={"load": "load"},
    bounds=".search.shuffle.bounds:combinatorial_bounds",
    slow_bounds=".search.shuffle.bounds:slow_bounds",
    portrait=Portrait(
        "workers",
        "rows in cache",
        "rows to receive",
        lambda _, worker: (len(worker.has), len({*worker.wants} - {*worker.has})),
    ),
    shown=".cli.show.training_steps:show_shuffle",
    verdict_texts=".cli.show.training_steps:SHUFFLE_TEXTS",
    chartless="messages have no times to draw. See their cost with ringyard shuffle {}",
    examples=("hand-shuffle-cycle", "hand-shuffle-pentagon", "hand-shuffle-dear"),
    searches=("exact",),
    drawn=".instances.shuffle.mix:random_shuffle",
    methods=METHODS,
    default="greedy-cover",
    programs=PROGRAMS,
)
