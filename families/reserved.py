"""Preemptible rings with reserved bandwidth, for the greatest gain."""

from .family import Family, Portrait
from .method import CorpusProgram, Method

METHODS = (
    Method(
        name="gadget",
        kind="search",
        about="the largest increase of the gains in each slot, by a relaxation and rounding",
        source="GADGET",
        random=True,
    ),
    Method(
        name="ring-fifo",
        module=".policies.reserved:FIFO",
        about="in each slot, the first rings by arrival get as many workers as possible",
        source="baseline FIFO of GADGET",
    ),
    Method(
        name="ring-las",
        module=".policies.reserved:LAS",
        about="in each slot, rings with the least service get as many workers as possible",
        source="baseline LAS of GADGET, after Tiresias",
    ),
    Method(
        name="ring-drf",
        module=".policies.reserved:DRF",
        about="in each slot, workers one by one to the ring with the least dominant share",
        source="baseline DRF of GADGET",
    ),
)

CORPUS = (
    CorpusProgram(
        name="gadget-slot", build=".formulations.reserved.gadget_slot:first_slot", letter="n"
    ),
)

RESERVED = Family(
    kind="reserved",
    about=(
        "ring-all-reduce jobs that may be preempted and moved in every slot, with reserved "
        "bandwidth on the links they cross. The value of each is a concave function of its "
        "progress"
    ),
    objective="gain",
    maximize=True,
    instance=".instances.reserved:ReservedInstance",
    schedule=".instances.reserved:ReservedSchedule",
    presets=".instances.reserved.mix:PRESETS",
    extent=".instances.size:of_machines",
    small=".search.tiny_instances:few_slots",
    judge=".analysis.check.reserved:check_reserved",
    rules=".analysis.check.reserved:RULES",
    proofs=".analysis.check.certificates.reserved:RULES",
    theorems=".analysis.guarantees.reserved:RESERVED",
    claims={"plans.gain": "gains", "gain": "objective"},
    refusal=".simulation.reserved:refusal",
    bounds=".search.reserved.bounds:combinatorial_bounds",
    portrait=Portrait(
        "jobs",
        "arrival, slots",
        "most workers",
        lambda _, ring: (ring.arrival_slot, ring.most_workers),
    ),
    shown=".cli.show.jobs:show_reserved",
    verdict_texts=".cli.show.jobs:RESERVED_TEXTS",
    chart=".analysis.gantt.reserved:CHART",
    examples=("hand-gadget-later", "hand-gadget-links", "gadget-small-05x4x6"),
    drawn=".instances.reserved.mix:random_links",
    methods=METHODS,
    default="gadget",
    variants=("gadget:slot=exact", "gadget:slot=greedy"),
    corpus=CORPUS,
)
