"""What may stand in a campaign file: the nouns that it is decoded into."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..instances.reading.vocabulary import Count, Fraction01, Label, Positive, Prose, Whole

NodeType = Literal["generate", "solve", "bound", "verify", "table"]
"""What a node of a graph does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Instances that a generator draws."""

    family: Annotated[Label, "a family of `ringyard list families`"]
    seeds: Annotated[Count, "how many instances"] = 1
    first_seed: Annotated[Whole, "seed of the first"] = 0
    set: Annotated[tuple[Label, ...], "options as `key=value`"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPart:
    """Methods on instances, within limits; what is left out is taken from the top of the file."""

    instances: Annotated[
        tuple[Label, ...] | None, "names of the catalogue, files, or patterns such as `small-*`"
    ] = None
    generate: Annotated[tuple[Drawn, ...] | None, "instances to draw"] = None
    methods: Annotated[
        tuple[Label, ...] | None,
        "names, with options or a solver behind a colon; patterns such as `*`; `bound`",
    ] = None
    seeds: Annotated[
        Count | None, "seeds of a method with random steps, 1 if not said; others run once"
    ] = None
    first_seed: Annotated[Whole | None, "the first of them, 0 if not said"] = None
    repetitions: Annotated[
        Count | None, "how often each run is done, for its time; once if not said"
    ] = None
    threads: Annotated[Count | None, "threads a method may use, 1 if not said"] = None
    horizon: Annotated[Count | None, "only schedules that end by this slot count"] = None
    time_limit: Annotated[
        Positive | None, "seconds after which a method is to stop, 60 if not said"
    ] = None
    cpu_limit: Annotated[Positive | None, "seconds of processor time that end a run"] = None
    memory_limit: Annotated[Positive | None, "megabytes that end a run"] = None
    gap_limit: Annotated[
        Fraction01 | None,
        "by what part objective and bound may still differ when a run ends",
    ] = None
    target: Annotated[Decimal | None, "objective at which a run ends"] = None
    certificates: Annotated[
        Literal["checked", "none"] | None,
        "`checked` to write and check a certificate of each bound, `none` if not said",
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A step of a campaign that is a graph; which fields it may have depends on its type."""

    name: Annotated[Label, "what the node is called"]
    type: Annotated[NodeType, "what it does"]
    needs: Annotated[tuple[Label, ...], "names of the nodes that it takes results from"] = ()
    family: Annotated[Label | None, "`generate`: a family of `ringyard list families`"] = None
    set: Annotated[tuple[Label, ...] | None, "`generate`: options as `key=value`"] = None
    instances: Annotated[
        tuple[Label, ...] | None, "`solve`, `bound`: named ones, files, patterns as in a part"
    ] = None
    methods: Annotated[tuple[Label, ...] | None, "`solve`: names, options, patterns"] = None
    seeds: Annotated[
        Count | None, "`generate`: how many instances; `solve`: seeds of a method with random steps"
    ] = None
    first_seed: Annotated[Whole | None, "`generate`, `solve`: the first of them"] = None
    repetitions: Annotated[Count | None, "`solve`: how often each run is done"] = None
    threads: Annotated[Count | None, "`solve`: threads a method may use"] = None
    horizon: Annotated[Count | None, "`solve`: only schedules that end by this slot"] = None
    time_limit: Annotated[Positive | None, "`solve`, `bound`: seconds of a run"] = None
    cpu_limit: Annotated[Positive | None, "`solve`, `bound`: seconds of processor time"] = None
    memory_limit: Annotated[Positive | None, "`solve`, `bound`: megabytes"] = None
    gap_limit: Annotated[Fraction01 | None, "`solve`: gap at which a run ends"] = None
    target: Annotated[Decimal | None, "`solve`: objective at which a run ends"] = None
    starts: Annotated[
        tuple[Label, ...] | None,
        "`solve`: those of `needs` whose best schedule of an instance a run begins with",
    ] = None
    may_fail: Annotated[
        Whole | None, "`solve`, `bound`: how many runs may fail, 0 if not said; one more fails it"
    ] = None
    kind: Annotated[Label | None, "`table`: a kind of `ringyard table`, else `solvers`"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFile(CampaignPart):
    """A campaign file: one part, several that share what stands at the top, or a graph."""

    format: Annotated[Literal["ringyard-campaign/1"], "version of the campaign format"]
    name: Annotated[Label, "what the campaign is called"]
    about: Annotated[Prose, "what it is to find out"] = ""
    parts: Annotated[
        tuple[CampaignPart, ...], "parts with methods, instances, limits of their own"
    ] = ()
    nodes: Annotated[tuple[Node, ...], "steps of which each waits for what it needs"] = ()
