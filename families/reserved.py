"""Rings with bandwidth of their own that may be stopped and moved, for the most gain."""

from .family import Family
from .method import CorpusProgram, Method

METHODS = (
    Method(
        name="gadget",
        kind="search",
        about="slot by slot, what adds most to the gains, by a relaxation and rounding",
        source="GADGET",
        random=True,
    ),
    Method(
        name="ring-fifo",
        module=".policies.reserved:FIFO",
        about="in every slot the rings that arrived first take all that they may",
        source="baseline FIFO of GADGET",
    ),
    Method(
        name="ring-las",
        module=".policies.reserved:LAS",
        about="in every slot the rings that have had least take all that they may",
        source="baseline LAS of GADGET, after Tiresias",
    ),
    Method(
        name="ring-drf",
        module=".policies.reserved:DRF",
        about="in every slot workers one by one, to the ring with the least dominant share",
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
        "ring-all-reduce jobs that may be stopped and moved in every slot, with bandwidth of "
        "their own on the links they cross; what each is worth grows ever more slowly with its "
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
