"""Updates of a model on their way to its server, for the least time until they are applied."""

from ..instances.reading.vocabulary import find
from .family import Family, Portrait, took
from .method import CorpusProgram, Method, Program, by_program

METHODS = (
    Method(
        name="mlfabric",
        module=".policies.transfers.mlfabric:MLFABRIC",
        about="order, groups and copies for the replica, the best of many simulated plans",
        source="Ringyard, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="mlfabric-aggregate",
        module=".policies.transfers.mlfabric:MLFABRIC_AGGREGATE",
        about="order, with direct prefixes while other updates are aggregated in groups",
        source="Ringyard, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="mlfabric-order",
        module=".policies.transfers.mlfabric:MLFABRIC_ORDER",
        about="the shortest expected transfer first, under staleness and due times, with drops",
        source="Ringyard, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="shortest-first",
        module=".policies.transfers.orders:SHORTEST_FIRST",
        about="the update with the shortest transfer alone goes first, directly",
        source="Smith 1956",
    ),
    Method(
        name="fair",
        module=".policies.transfers.orders:FAIR",
        about="all at once, directly, with max-min fair shares of the links",
        source="max-min fairness, Bertsekas and Gallager 1992",
    ),
    Method(
        name="fifo",
        module=".policies.transfers.orders:FIFO",
        about="in the order in which they become ready, directly",
        source="folklore",
    ),
    Method(
        name="plan-search",
        kind="search",
        about="local search over the plan of mlfabric, one send at a time",
        source="Ringyard, with late acceptance of Burke and Bykov 2017",
        random=True,
    ),
    Method(
        name="enumeration",
        kind="search",
        about="every order, group, copy and drop of a few updates, with both link-sharing rules",
        source="Ringyard",
        guarantee="optimal",
        starts=True,
    ),
    by_program(
        name="order",
        about="the best positions on the last link under staleness and due times, with drops",
        source="Ringyard, after MLfabric",
    ),
    by_program(
        name="groups",
        about="the choice of aggregators for the earliest last arrival that links allow",
        source="Ringyard, after MLfabric",
    ),
    by_program(
        name="copies",
        about="the smallest updates first, and copies by a knapsack over gigabytes",
        source="Ringyard, after MLfabric",
    ),
)

PROGRAMS = (
    Program(
        name="order",
        about="positions of updates on the last link to the server, and dropped updates",
        source="Ringyard, after MLfabric",
    ),
    Program(
        name="groups",
        about="routes of updates, alone or by aggregators, for the earliest last arrival",
        source="Ringyard, after MLfabric",
    ),
    Program(
        name="copies",
        about="the fewest gigabytes to copy so that the replica keeps up, a knapsack",
        source="Ringyard, after MLfabric",
    ),
)

CORPUS = (
    CorpusProgram(
        name="counting", build=".formulations.transfers.relaxations:counting_at", letter="t"
    ),
)

TRANSFERS = Family(
    kind="transfers",
    about=(
        "updates of a model, held by workers, and a network to their server. The answer is their "
        "order, the groups that are aggregated before the server, and the copies"
    ),
    objective="time",
    unit="s",
    item="update",
    instance=".instances.transfers:TransfersInstance",
    schedule=".instances.transfers:TransferPlan",
    presets=".instances.transfers.mix:PRESETS",
    extent=lambda one: (len(one.updates), None, 0),
    small=lambda one: len(one.updates) <= find(".search.tiny_instances:JOBS"),
    judge=".analysis.check.transfers:check_transfers",
    rules=".analysis.check.transfers:RULES",
    proofs=".analysis.check.certificates.transfers:RULES",
    theorems=".analysis.guarantees.transfers:TRANSFERS",
    tries="every plan",
    claims={"value_s": "value"},
    bounds=".search.transfers.bounds:combinatorial_bounds",
    slow_bounds=".search.transfers.slow_bounds:slow_bounds",
    portrait=Portrait("updates", "ready, s", "size, GB", lambda _, one: (one.ready_s, one.size_gb)),
    shown=".cli.show.training_steps:show_transfers",
    verdict_texts=".cli.show.training_steps:TRANSFERS_TEXTS",
    chart=".analysis.gantt.transfers:CHART",
    times=took("ready_s", ends="applied", items="updates"),
    examples=("hand-transfers-fair", "hand-transfers-moore", "hand-transfers-group"),
    searches=("enumeration",),
    drawn=".instances.transfers.mix:random_transfers",
    methods=METHODS,
    default="mlfabric",
    programs=PROGRAMS,
    corpus=CORPUS,
)
