"""What can be reproduced: every campaign behind tables and figures of docs/."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from .study import Settings

SMOKE = Settings(seeds=1, time_limit=0.1, points=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A campaign, the pages that show what comes out, and how much work it is."""

    name: str
    about: str
    module: str
    """File of `papers/` with `runs(settings, known)` and `report(settings, answers)`."""
    pages: tuple[str, ...]
    settings: Settings
    """With these, pages are made."""
    smoke: Settings = SMOKE
    """With these, it takes seconds and says little."""
    timed: bool = False
    """Whether seconds are measured while the report is made, rather than by runs."""
    kept: bool = False
    """Whether its runs come with Ringyard: `report_of(kept_rows())` reports on them."""
    summary: bool = False
    """Whether it only reports on what others left: `summary(docs, out)` is its campaign."""
    figures: tuple[int, ...] = ()
    """Figures of the paper that can be made alone."""
    plots: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """Kinds of pictures that `ringyard plot` draws of these rows, and which rows it takes."""

    @property
    def campaign(self) -> Any:
        """Import the campaign."""
        return import_module(f".{self.module}", __package__)


DEMO = "pdors-small-10x4x8"
"""The instance of which a schedule and its making are shown."""

REPRODUCTIONS = (
    Reproduction(
        name="mobihoc",
        about="Figures 4-7 of SJF-BCO (arXiv 2207.07817), with our best and a certified bound",
        module="mobihoc.study",
        pages=("makespan/reproduce-mobihoc.md",),
        settings=Settings(seeds=10, time_limit=10.0),
        figures=(4, 5, 6, 7),
    ),
    Reproduction(
        name="sensitivity",
        about="Figure 4 of SJF-BCO under other contention and overhead models",
        module="mobihoc.sensitivity",
        pages=("makespan/sensitivity.md",),
        settings=Settings(seeds=10, time_limit=1.0),
    ),
    Reproduction(
        name="sjf-bco-region",
        about="under which conditions the orders of Figures 4-7 of SJF-BCO hold, by search",
        module="mobihoc.region",
        pages=("makespan/sjf-bco-region.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="sjf-bco-argument",
        about="SJF-BCO's example of contention, its program (10)-(13), its proof step by step",
        module="argument.study",
        pages=("makespan/sjf-bco-argument.md",),
        settings=Settings(seeds=10),
        smoke=Settings(seeds=1, points=2),
    ),
    Reproduction(
        name="pd-ors",
        about="the experiments of PD-ORS: utility, training time, ratio, gain factor",
        module="pdors.study",
        pages=("online/reproduce-pd-ors.md",),
        settings=Settings(seeds=10, time_limit=5.0),
    ),
    Reproduction(
        name="pd-ors-pairs",
        about="by how much PD-ORS and OASiS are worth more than others on the same jobs",
        module="pdors.pairs",
        pages=("online/reproduce-pd-ors.md",),
        settings=Settings(seeds=40),
    ),
    Reproduction(
        name="oasis",
        about="OASiS beside the optimum, ten jobs over ten slots, by machines and by work",
        module="oasis",
        pages=("online/oasis.md",),
        settings=Settings(seeds=10, time_limit=5.0),
    ),
    Reproduction(
        name="tiresias-example",
        about="the worked example of Tiresias: three jobs, who runs when, and the index",
        module="tiresias.example",
        pages=("trace/tiresias-example.md",),
        settings=Settings(),
        smoke=Settings(),
    ),
    Reproduction(
        name="tiresias",
        about="the testbed and the trace of Tiresias, under seven schedulers",
        module="tiresias.study",
        pages=("trace/reproduce-tiresias.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="tiresias-region",
        about="under which conditions all 19 directions of Tiresias' paper hold, by search",
        module="tiresias.region",
        pages=("trace/tiresias-region.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="ones",
        about="ONES beside Tiresias and Optimus on 64 GPUs, and where its orders hold, by search",
        module="ones",
        pages=("trace/reproduce-ones.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="tiresias-testbed",
        about="whether the four ratios of Tiresias' testbed come out, by search",
        module="tiresias.ratios",
        pages=("trace/tiresias-testbed.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="tiresias-options",
        about="what queues, thresholds and the index of Tiresias gain, by load and law",
        module="tiresias.options",
        pages=("trace/tiresias-testbed.md",),
        settings=Settings(seeds=5),
    ),
    Reproduction(
        name="boa",
        about="BOA: known numbers, policies at equal spend, terms of renting, tries to beat it",
        module="boa.study",
        pages=("rental/reproduce-boa.md",),
        settings=Settings(seeds=4),
    ),
    Reproduction(
        name="mlfabric",
        about="MLfabric: what order, groups and chosen copies gain, and under which conditions",
        module="mlfabric.study",
        pages=("transfers/reproduce-mlfabric.md",),
        settings=Settings(seeds=5),
    ),
    Reproduction(
        name="federated",
        about="federated averaging: what it takes if a share of the clients takes part in a round",
        module="federated",
        pages=("makespan/federated.md",),
        settings=Settings(seeds=10),
    ),
    Reproduction(
        name="frontier",
        about="how large an instance each exact method proves optimal within a minute",
        module="frontier",
        pages=("makespan/frontier.md",),
        settings=Settings(seeds=2, time_limit=60.0),
        smoke=Settings(seeds=1, time_limit=1.0, points=2),
    ),
    Reproduction(
        name="far",
        about="how far branch and bound goes alone, up to 36 jobs on 12 servers",
        module="far",
        pages=("makespan/frontier.md",),
        settings=Settings(seeds=10, time_limit=60.0),
    ),
    Reproduction(
        name="closing",
        about="how near the default method and four schedulers come to a proved bound",
        module="closing",
        pages=("makespan/portfolio.md",),
        settings=Settings(seeds=1, time_limit=10.0),
    ),
    Reproduction(
        name="fresh",
        about="how often the default method proves optima on instances that nobody kept",
        module="fresh",
        pages=("makespan/portfolio.md",),
        settings=Settings(seeds=20, time_limit=10.0),
    ),
    Reproduction(
        name="ablation",
        about="what each bound and each search of the default earns: slots, proofs without it",
        module="ablation",
        pages=("makespan/ablation.md",),
        settings=Settings(seeds=3, time_limit=5.0),
    ),
    Reproduction(
        name="anytime",
        about="how near a bound after how many seconds, beside CP-SAT, PyJobShop, list schedulers",
        module="anytime.study",
        pages=("makespan/anytime.md",),
        settings=Settings(seeds=3, time_limit=10.0),
    ),
    Reproduction(
        name="sides",
        about="whether the bound or the schedule of each open instance is known to be weak",
        module="sides",
        pages=("makespan/sides.md",),
        settings=Settings(time_limit=10.0),
    ),
    Reproduction(
        name="gaps",
        about="best values and bounds of online, trace and transfers; what the bounds do not see",
        module="gaps",
        pages=("campaigns/gaps.md",),
        settings=Settings(time_limit=10.0),
        smoke=Settings(seeds=1, time_limit=2.0, points=1),
    ),
    Reproduction(
        name="sheets",
        about="roundings, options of SJF-BCO, local search and GADGET on named instances",
        module="sheets",
        pages=(
            "makespan/lp-rounding.md",
            "makespan/sjf-bco.md",
            "makespan/local-search.md",
            "reserved/gadget.md",
        ),
        settings=Settings(seeds=1, time_limit=600.0),
    ),
    Reproduction(
        name="coded",
        about="codes for products of matrices: known times, gains, and what decoding loses",
        module="coded",
        pages=("coded/coded.md",),
        settings=Settings(seeds=5),
    ),
    Reproduction(
        name="shuffle",
        about="coded shuffling: messages by formula and counted, ratios, what padding adds",
        module="shuffle",
        pages=("shuffle/shuffle.md",),
        settings=Settings(seeds=20),
    ),
    Reproduction(
        name="smd",
        about="SMD's method beside the optimum, 10 to 50 jobs, and how much of their own they use",
        module="smd",
        pages=("online/smd.md",),
        settings=Settings(seeds=3),
    ),
    Reproduction(
        name="gadget",
        about="GADGET's rounding as printed: what draws gain, and by how much they exceed limits",
        module="gadget",
        pages=("reserved/gadget.md",),
        settings=Settings(seeds=3),
    ),
    Reproduction(
        name="relaxations",
        about="relaxations of rings, slots and rented GPUs: strength, engines, what is rounded",
        module="relaxations.study",
        pages=("makespan/relaxations.md", "online/relaxations.md", "rental/relaxations.md"),
        settings=Settings(time_limit=20.0),
        smoke=Settings(seeds=1, time_limit=2.0, points=1),
        timed=True,
    ),
    Reproduction(
        name="solvers",
        about="every engine on every program of the corpus: times, failures, wrong answers",
        module="solvers.study",
        pages=("solvers/comparison.md",),
        settings=Settings(seeds=3, time_limit=5.0),
        smoke=Settings(seeds=1, time_limit=1.0, points=5),
        kept=True,
    ),
    Reproduction(
        name="guarantees",
        about="theorems checked against runs on random instances",
        module="guarantees",
        pages=("campaigns/guarantees.md", "makespan/lp-rounding.md"),
        settings=Settings(seeds=17_834),
        smoke=Settings(seeds=6),
    ),
    Reproduction(
        name="demo",
        about="the figures that `ringyard plot` draws of the campaign demo",
        module="demo",
        pages=("campaigns/plots.md",),
        settings=Settings(seeds=3, time_limit=2.0),
        plots={
            "ecdf": {"family": "online"},
            "profile": {"instance": ("small-*",)},
            "profile-ratio": {"family": "online"},
            "convergence": {"instance": (DEMO,)},
            "tradeoff": {"instance": ("small-*",)},
            "ratios": {"instance": ("small-*",)},
            "factors": {"family": "makespan"},
            "gantt": {"instance": (DEMO,), "method": ("order-search",)},
        },
    ),
    Reproduction(
        name="claims",
        about="every claim of the papers, its verdict and the command behind it, from the others",
        module="claims.study",
        pages=("claims.md",),
        settings=Settings(),
        summary=True,
    ),
)
"""In the order in which `all` makes them."""
