"""What may stand in a campaign file: the nouns that it is decoded into."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..instances.reading.vocabulary import Count, Fraction01, Label, Positive, Prose, Whole


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
class CampaignFile(CampaignPart):
    """A campaign file: one part, or several that share what stands at the top."""

    format: Annotated[Literal["ringyard-campaign/1"], "version of the campaign format"]
    name: Annotated[Label, "what the campaign is called"]
    about: Annotated[Prose, "what it is to find out"] = ""
    parts: Annotated[
        tuple[CampaignPart, ...], "parts with methods, instances, limits of their own"
    ] = ()
