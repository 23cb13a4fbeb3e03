"""The table of contents: every method by name, with its family, kind, source and guarantee."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .instances.errors import InputError, Problem, nearest

if TYPE_CHECKING:
    from .instances import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to answer instances of a family; its code is imported when it is used."""

    name: str
    family: str
    kind: str
    module: str
    about: str
    source: str
    guarantee: str = "none"
    random: bool = False
    formulation: str = ""
    """The program, of kind `program`; a transformation may stand behind a dash."""
    solver: str = ""
    """The solver of the program."""
    options: Any = None
    """The noun with its options, where these were given behind the name."""

    @property
    def run(self) -> "Callable[..., Outcome]":
        """The function ``run(instance, limits, rng) -> Outcome``."""
        return partial(self._load().run, **self._given)

    @property
    def usual(self) -> Any:
        """The options that the method has where none are given; None if it has no options."""
        noun = getattr(self._load(), "Options", None)
        return noun and noun()

    def refuses(self, instance: Any) -> str | None:
        """Say why the method cannot treat `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} treats {self.family!r} instances, not {instance.kind!r} ones"
        if reason := self._no_solver():
            return reason
        check = getattr(self._load(), "refuses", None)
        said: str | None = check(instance, **self._given) if check else None
        return said

    def _no_solver(self) -> str | None:
        """Say why the solver named cannot be called, or None; many methods name none."""
        if not self.formulation:
            return None
        if self.solver not in solvers_for(self, installed=False):
            return f"{self.solver} does not take programs such as {self.formulation}"
        from .formulations.door.solve import find_solver

        return find_solver(self.solver).missing

    @property
    def _given(self) -> dict[str, Any]:
        if self.formulation:
            return {"formulation": self.formulation, "solver": self.solver}
        return {} if self.options is None else {"options": self.options}

    def _load(self) -> Any:
        return import_module(self.module, __package__)


METHODS: tuple[Method, ...] = (
    Method(
        name="portfolio",
        family="makespan",
        kind="search",
        module=".search.makespan.portfolio",
        about="bounds and searches in turn, each from where the last ended; stops at a proof",
        source="ours",
        random=True,
    ),
    Method(
        name="gang-lpt",
        family="makespan",
        kind="policy",
        module=".policies.makespan.gang_lpt",
        about="longest job first, packed into one server where it fits, overtaking allowed",
        source="Graham 1969, for gangs",
    ),
    Method(
        name="nested",
        family="makespan",
        kind="search",
        module=".search.makespan.nested",
        about="jobs annealed over nested blocks, where sizes divide one another",
        source="ours",
        random=True,
    ),
    Method(
        name="local-search",
        family="makespan",
        kind="search",
        module=".search.makespan.local_search",
        about="order and placement rules annealed, decoded by list scheduling; any instance",
        source="ours",
        random=True,
    ),
    Method(
        name="sjf-bco",
        family="makespan",
        kind="policy",
        module=".policies.makespan.sjf_bco",
        about="small jobs on the least loaded GPUs, large ones on the least loaded servers",
        source="SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="sjf-bco-proved",
        family="makespan",
        kind="policy",
        module=".policies.makespan.sjf_bco_proved",
        about="the least loaded GPUs are assigned first; a job starts once its own are free",
        source="ours, after SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="first-fit",
        family="makespan",
        kind="policy",
        module=".policies.makespan.first_fit",
        about="the first idle GPUs, server by server, under a searched load limit",
        source="baseline FF of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="list-scheduling",
        family="makespan",
        kind="policy",
        module=".policies.makespan.list_scheduling",
        about="the least loaded idle GPUs of the cluster, under a searched load limit",
        source="baseline LS of SJF-BCO (arXiv 2207.07817)",
    ),
    Method(
        name="random",
        family="makespan",
        kind="policy",
        module=".policies.makespan.random_fit",
        about="any idle GPUs, with the horizon as load limit",
        source="baseline RAND of SJF-BCO (arXiv 2207.07817)",
        random=True,
    ),
    Method(
        name="alpha-points",
        family="makespan",
        kind="rounding",
        module=".search.makespan.alpha_points",
        about="jobs listed by alpha-points of a time-indexed relaxation; the best alpha is kept",
        source="after Phillips, Stein and Wein 1998",
    ),
    Method(
        name="midpoints",
        family="makespan",
        kind="rounding",
        module=".search.makespan.midpoints",
        about="jobs listed by mean busy times of a time-indexed relaxation",
        source="after Queyranne and Schulz 2006",
    ),
    Method(
        name="raghavan-thompson",
        family="makespan",
        kind="rounding",
        module=".search.makespan.raghavan_thompson",
        about="servers drawn by the shares of the assignment program; the best draw is kept",
        source="after Raghavan and Thompson 1987",
        random=True,
    ),
    Method(
        name="lenstra-shmoys-tardos",
        family="makespan",
        kind="rounding",
        module=".search.makespan.lenstra_shmoys_tardos",
        about="servers by the assignment program, rounded to one job more on each at most",
        source="after Lenstra, Shmoys and Tardos 1990",
    ),
    Method(
        name="enumeration",
        family="makespan",
        kind="search",
        module=".search.makespan.enumerate",
        about="every schedule of a tiny instance in slotted time, idling included",
        source="ours",
        guarantee="optimal",
    ),
    Method(
        name="branch-and-bound",
        family="makespan",
        kind="search",
        module=".search.makespan.branch_and_bound",
        about="rings across servers first, then the other jobs packed around them",
        source="ours",
        guarantee="optimal",
    ),
    Method(
        name="cp-sat",
        family="makespan",
        kind="search",
        module=".search.makespan.cp_sat",
        about="interval model with contention by CP-SAT, confirmed by the engine; slotted time",
        source="ours",
        guarantee="optimal",
    ),
    Method(
        name="nonconvex",
        family="makespan",
        kind="program",
        module=".search.makespan.programs",
        about="the program as printed, solved as it is",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        guarantee="optimal",
        formulation="nonconvex",
        solver="scip",
    ),
    Method(
        name="disjunctive-bigm",
        family="makespan",
        kind="program",
        module=".search.makespan.programs",
        about="the same as either-or, in the big-M form",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        guarantee="optimal",
        formulation="disjunctive-bigm",
        solver="highs",
    ),
    Method(
        name="disjunctive-hull",
        family="makespan",
        kind="program",
        module=".search.makespan.programs",
        about="the same as either-or, in the hull form",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        guarantee="optimal",
        formulation="disjunctive-hull",
        solver="highs",
    ),
    Method(
        name="linearised",
        family="makespan",
        kind="program",
        module=".search.makespan.programs",
        about="the exact linearisation, with computed big-M values",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9); the linearisation is ours",
        guarantee="optimal",
        formulation="linearised",
        solver="highs",
    ),
    Method(
        name="patterns",
        family="makespan",
        kind="program",
        module=".search.makespan.programs",
        about="a stronger program over placements",
        source="ours",
        guarantee="optimal",
        formulation="patterns",
        solver="highs",
    ),
    Method(
        name="order-search",
        family="online",
        kind="search",
        module=".search.online.order_search",
        about="all jobs known beforehand, offered plans in an order that is searched",
        source="ours",
        random=True,
    ),
    Method(
        name="column-generation",
        family="online",
        kind="search",
        module=".search.online.column_generation",
        about="schedules by PD-ORS's dynamic program at searched prices, then the best of them",
        source="ours, after the dual of PD-ORS",
        random=True,
    ),
    Method(
        name="pd-ors-corrected",
        family="online",
        kind="policy",
        module=".policies.online.pd_ors_corrected",
        about="PD-ORS with prices that are proved, and plans from integer hulls",
        source="ours, after PD-ORS",
        random=True,
    ),
    Method(
        name="pd-ors",
        family="online",
        kind="policy",
        module=".policies.online.pd_ors",
        about="each job priced as it arrives, and admitted if its best schedule pays",
        source="PD-ORS",
        random=True,
    ),
    Method(
        name="oasis",
        family="online",
        kind="policy",
        module=".policies.online.oasis",
        about="admission by prices that rise exponentially, workers and servers apart",
        source="OASiS",
    ),
    Method(
        name="fifo",
        family="online",
        kind="policy",
        module=".policies.online.fifo",
        about="in order of arrival, a fixed number of workers each, held to the end",
        source="baseline of OASiS and PD-ORS",
        random=True,
    ),
    Method(
        name="drf",
        family="online",
        kind="policy",
        module=".policies.online.drf",
        about="the next worker to the job with the least dominant share, anew each slot",
        source="Ghodsi et al. 2011; baseline of PD-ORS",
    ),
    Method(
        name="dorm",
        family="online",
        kind="policy",
        module=".policies.online.dorm",
        about="as much used as limits on unfairness and on adjustments allow",
        source="Dorm (Sun et al. 2017); baseline of PD-ORS",
    ),
    Method(
        name="offline",
        family="online",
        kind="program",
        module=".search.online.offline",
        about="all jobs known beforehand, all slots in one program",
        source="PD-ORS, (B1)-(B5); the linear form is ours",
        guarantee="optimal",
        formulation="offline",
        solver="highs",
    ),
    Method(
        name="gadget",
        family="reserved",
        kind="search",
        module=".search.reserved.gadget",
        about="slot by slot, what adds most to the gains, by a relaxation and rounding",
        source="GADGET",
        random=True,
    ),
    Method(
        name="ring-fifo",
        family="reserved",
        kind="policy",
        module=".policies.reserved.fifo",
        about="in every slot the rings that arrived first take all that they may",
        source="baseline FIFO of GADGET",
    ),
    Method(
        name="ring-las",
        family="reserved",
        kind="policy",
        module=".policies.reserved.las",
        about="in every slot the rings that have had least take all that they may",
        source="baseline LAS of GADGET, after Tiresias",
    ),
    Method(
        name="ring-drf",
        family="reserved",
        kind="policy",
        module=".policies.reserved.drf",
        about="in every slot workers one by one, to the ring with the least dominant share",
        source="baseline DRF of GADGET",
    ),
    Method(
        name="2d-las",
        family="trace",
        kind="policy",
        module=".policies.trace.two_d_las",
        about="whoever has had the least GPU-time runs first",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="fifo",
        family="trace",
        kind="policy",
        module=".policies.trace.fifo",
        about="in order of arrival, nobody stopped and nobody overtaken",
        source="folklore",
    ),
    Method(
        name="gandiva",
        family="trace",
        kind="policy",
        module=".policies.trace.gandiva",
        about="jobs take turns on servers of their width; sharing GPUs and moving are tried out",
        source="Gandiva (Xiao et al., OSDI 2018), as in the simulator of Tiresias",
    ),
    Method(
        name="optimus",
        family="trace",
        kind="policy",
        module=".policies.trace.optimus",
        about="GPUs go where they shorten what is left most, as fitted curves predict it",
        source="Optimus (Peng et al., EuroSys 2018)",
    ),
    Method(
        name="ones",
        family="trace",
        kind="policy",
        module=".policies.trace.ones",
        about="the numbers of GPUs of all jobs evolve, for those with the least GPU-time left",
        source="ONES (Bian et al., SC 2021)",
        random=True,
    ),
    Method(
        name="best-effort",
        family="trace",
        kind="policy",
        module=".policies.trace.best_effort",
        about="in order of arrival, nobody stopped; whoever fits starts past others",
        source="baseline of Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="yarn-cs",
        family="trace",
        kind="policy",
        module=".policies.trace.yarn_cs",
        about="in order of arrival, on as few servers as could hold the job",
        source="baseline of Tiresias, after Apache YARN's capacity scheduler",
    ),
    Method(
        name="sjf",
        family="trace",
        kind="policy",
        module=".policies.trace.sjf",
        about="whoever asks for least starts first, by time, GPUs or both",
        source="folklore",
    ),
    Method(
        name="srtf",
        family="trace",
        kind="policy",
        module=".policies.trace.srtf",
        about="whoever has the least time left runs first",
        source="Schrage 1968",
    ),
    Method(
        name="srsf",
        family="trace",
        kind="policy",
        module=".policies.trace.srsf",
        about="whoever has the least GPU-time left runs first",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="las",
        family="trace",
        kind="policy",
        module=".policies.trace.las",
        about="whoever has worked for the least time runs first",
        source="Nuyens and Wierman 2008, as least attained service",
    ),
    Method(
        name="2d-gittins",
        family="trace",
        kind="policy",
        module=".policies.trace.two_d_gittins",
        about="whoever ends most likely for the GPU-time it takes runs first",
        source="Tiresias, after Gittins 1979",
    ),
    Method(
        name="tiresias-l",
        family="trace",
        kind="policy",
        module=".policies.trace.tiresias_l",
        about="queues by attained GPU-time, in each by first start",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="tiresias-g",
        family="trace",
        kind="policy",
        module=".policies.trace.tiresias_g",
        about="queues by attained GPU-time, in each by a Gittins index",
        source="Tiresias (Gu et al., NSDI 2019)",
    ),
    Method(
        name="tiresias-released",
        family="trace",
        kind="policy",
        module=".policies.trace.tiresias_released",
        about="queues by attained service, by the rules of Tiresias' public simulator",
        source="run_sim.py of the public Tiresias simulator (Gu et al.)",
    ),
    Method(
        name="state-search",
        family="trace",
        kind="search",
        module=".search.trace.exhaustive",
        about="who runs where in every tick, in all ways; tiny instances",
        source="ours, after Hart, Nilsson and Raphael 1968",
        guarantee="optimal",
    ),
    Method(
        name="tickwise",
        family="trace",
        kind="program",
        module=".search.trace.programs",
        about="who runs in every tick, as a program; where counting GPUs is enough",
        source="ours",
        guarantee="optimal",
        formulation="tickwise",
        solver="highs",
    ),
    Method(
        name="boa",
        family="rental",
        kind="policy",
        module=".policies.rental.boa",
        about="every job starts at once, with the widths of its type that suit the budget best",
        source="BOA (arXiv 2406.15560), with more general widths",
    ),
    Method(
        name="boa-integer",
        family="rental",
        kind="policy",
        module=".policies.rental.boa_integer",
        about="whole widths; the work of one epoch of one type at most is shared by two",
        source="ours, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="boa-pure",
        family="rental",
        kind="policy",
        module=".policies.rental.boa_pure",
        about="one whole width for each epoch of each type; rounded, then improved",
        source="ours, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="boa-resize",
        family="rental",
        kind="policy",
        module=".policies.rental.boa_resize",
        about="widths change between epochs only where that is worth standing still",
        source="ours, after BOA (arXiv 2406.15560)",
    ),
    Method(
        name="convex",
        family="rental",
        kind="program",
        module=".search.rental.convex",
        about="the convex program of hours and GPU-hours, by CVXPY",
        source="BOA (arXiv 2406.15560); the convex forms are ours",
    ),
    Method(
        name="shares",
        family="rental",
        kind="program",
        module=".search.rental.programs",
        about="shares of work by whole width, as a linear program",
        source="ours, after BOA (arXiv 2406.15560)",
        formulation="shares",
        solver="highs",
    ),
    Method(
        name="pure-widths",
        family="rental",
        kind="program",
        module=".search.rental.programs",
        about="one whole width for each epoch of each type, the best of all such plans",
        source="ours, after BOA (arXiv 2406.15560)",
        formulation="pure",
        solver="highs",
    ),
    Method(
        name="equal-width",
        family="rental",
        kind="policy",
        module=".policies.rental.equal_width",
        about="as many GPUs for every job as the budget allows, the same for all",
        source="folklore",
    ),
    Method(
        name="as-asked",
        family="rental",
        kind="policy",
        module=".policies.rental.as_asked",
        about="as many GPUs for a job as its users ask for, if the budget allows",
        source="folklore",
    ),
    Method(
        name="portfolio",
        family="fleet",
        kind="search",
        module=".search.fleet.portfolio",
        about="the best log of all methods below; of the quick ones if there are many jobs",
        source="ours",
        random=True,
    ),
    Method(
        name="boa",
        family="fleet",
        kind="policy",
        module=".policies.fleet.boa",
        about="every job starts at once, on as many GPUs as the program says for its type",
        source="BOA (arXiv 2406.15560), with more general widths",
        random=True,
    ),
    Method(
        name="boa-integer",
        family="fleet",
        kind="policy",
        module=".policies.fleet.boa_integer",
        about="whole widths; one type at most has two, by lot or one after the other",
        source="ours, after BOA (arXiv 2406.15560)",
        random=True,
    ),
    Method(
        name="boa-online",
        family="fleet",
        kind="policy",
        module=".policies.fleet.boa_online",
        about="loads estimated from what has come, widths solved for anew every hour",
        source="ours, after BOA (arXiv 2406.15560)",
        random=True,
    ),
    Method(
        name="equal-width",
        family="fleet",
        kind="policy",
        module=".policies.fleet.equal_width",
        about="every job at once, on as many GPUs as each other",
        source="folklore",
    ),
    Method(
        name="as-asked",
        family="fleet",
        kind="policy",
        module=".policies.fleet.as_asked",
        about="every job at once, on as many GPUs as its users ask for, whatever it costs",
        source="folklore",
    ),
    Method(
        name="static-fifo",
        family="fleet",
        kind="policy",
        module=".policies.fleet.static_fifo",
        about="a cluster of fixed size, jobs as wide as asked for, first come, first served",
        source="folklore",
    ),
    Method(
        name="static-fair",
        family="fleet",
        kind="policy",
        module=".policies.fleet.static_fair",
        about="a cluster of fixed size, shared equally by all jobs",
        source="folklore",
    ),
    Method(
        name="static-las",
        family="fleet",
        kind="policy",
        module=".policies.fleet.static_las",
        about="a cluster of fixed size, jobs that had little service first",
        source="2D-LAS of Tiresias (NSDI 2019)",
    ),
    Method(
        name="pollux",
        family="fleet",
        kind="policy",
        module=".policies.fleet.pollux",
        about="GPUs where they add most speed, in rounds; as many as are used efficiently",
        source="ours, after Pollux (OSDI 2021)",
    ),
    Method(
        name="greedy-cover",
        family="shuffle",
        kind="policy",
        module=".policies.shuffle.greedy_cover",
        about="sums for as many workers as possible, rows that matter to few first",
        source="ours, after Birk and Kol 1998",
    ),
    Method(
        name="subsets",
        family="shuffle",
        kind="policy",
        module=".policies.shuffle.subsets",
        about="one sum for the heads of the queues of each set of workers, padded to the longest",
        source="coded shuffling, Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="row-by-row",
        family="shuffle",
        kind="policy",
        module=".policies.shuffle.row_by_row",
        about="every row by itself, to all that lack it or to each of them",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="exact",
        family="shuffle",
        kind="search",
        module=".search.shuffle.exact",
        about="all sums modulo 2, where few rows are lacked",
        source="ours; the least rank of Bar-Yossef et al. 2011, with unicasts",
        guarantee="optimal",
    ),
    Method(
        name="cover",
        family="shuffle",
        kind="program",
        module=".search.shuffle.programs",
        about="a cheapest cover by cliques of workers that can share a sum",
        source="Birk and Kol 1998; unicasts beside it are ours",
        formulation="cover",
        solver="highs",
    ),
    Method(
        name="mlfabric",
        family="transfers",
        kind="policy",
        module=".policies.transfers.mlfabric",
        about="order, groups and copies for the replica; the best of many plans that are played",
        source="ours, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="mlfabric-aggregate",
        family="transfers",
        kind="policy",
        module=".policies.transfers.mlfabric_aggregate",
        about="order, and prefixes that go directly while others are added up in groups",
        source="ours, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="mlfabric-order",
        family="transfers",
        kind="policy",
        module=".policies.transfers.mlfabric_order",
        about="the shortest expected transfer first, under staleness and due times, with drops",
        source="ours, after MLfabric (arXiv 1907.00434)",
    ),
    Method(
        name="shortest-first",
        family="transfers",
        kind="policy",
        module=".policies.transfers.shortest_first",
        about="whoever takes least time alone goes first, directly",
        source="Smith 1956",
    ),
    Method(
        name="fair",
        family="transfers",
        kind="policy",
        module=".policies.transfers.fair",
        about="all at once, directly, with max-min fair shares of the links",
        source="max-min fairness, Bertsekas and Gallager 1992",
    ),
    Method(
        name="fifo",
        family="transfers",
        kind="policy",
        module=".policies.transfers.fifo",
        about="in the order in which they are ready, directly",
        source="folklore",
    ),
    Method(
        name="enumeration",
        family="transfers",
        kind="search",
        module=".search.transfers.enumeration",
        about="every order, group, copy and drop of a few updates, with both ways to share links",
        source="ours",
        guarantee="optimal",
    ),
    Method(
        name="order",
        family="transfers",
        kind="program",
        module=".search.transfers.programs",
        about="the best positions on the last link under staleness and due times, with drops",
        source="ours, after MLfabric",
        formulation="order",
        solver="highs",
    ),
    Method(
        name="groups",
        family="transfers",
        kind="program",
        module=".search.transfers.programs",
        about="who goes by which aggregator, for the earliest last arrival that links allow",
        source="ours, after MLfabric",
        formulation="groups",
        solver="highs",
    ),
    Method(
        name="copies",
        family="transfers",
        kind="program",
        module=".search.transfers.programs",
        about="the smallest updates first; what is copied by a knapsack over gigabytes",
        source="ours, after MLfabric",
        formulation="copies",
        solver="highs",
    ),
    Method(
        name="mds",
        family="coded",
        kind="policy",
        module=".policies.coded.mds",
        about="a combination of all parts for each worker, any k of which are enough; the best k",
        source="Lee et al. 2018 (arXiv 1512.02673), with more laws",
        guarantee="optimal",
    ),
    Method(
        name="replication",
        family="coded",
        kind="policy",
        module=".policies.coded.replication",
        about="each part multiplied by several workers, the first of whom counts",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="uncoded",
        family="coded",
        kind="policy",
        module=".policies.coded.uncoded",
        about="a part for each worker, all of whom are waited for",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
)

DEFAULTS = {
    "makespan": "portfolio",
    "online": "order-search",
    "reserved": "gadget",
    "trace": "srsf",
    "rental": "boa",
    "fleet": "portfolio",
    "shuffle": "greedy-cover",
    "coded": "mds",
    "transfers": "mlfabric",
}
"""The method used for a family when none is named."""

VARIANTS = {"reserved": ("gadget:slot=exact", "gadget:slot=greedy")}
"""Methods with options that count as methods of their own where all of a family are asked."""


def all_names(family: str) -> list[str]:
    """Return how the methods of a family are called: exact ones first, its default last."""
    own = [method for method in METHODS if method.family == family]
    own.sort(key=lambda one: (one.name == DEFAULTS[family], one.guarantee != "optimal"))
    return [*VARIANTS.get(family, ()), *(method.name for method in own)]


def find_method(name: str | None, family: str) -> Method:
    """Return a method by name, or the family's default.

    Behind the name may stand a program's solver, or options: ``linearised:scip``,
    ``sjf-bco:kappa=4:mode=pack``. Colons in braces belong to a value.
    """
    own = [method for method in METHODS if method.family == family]
    known = {method.name: method for method in (*METHODS, *own)}
    plain, *words = re.split(r":(?![^{]*\})", DEFAULTS[family] if name is None else name)
    if plain not in known:
        like = nearest(plain, list(known))
        listed = f"see `ringyard list methods --kind {family}`"
        advice = f"did you mean {like!r}?" if like else listed
        expected = "one of " + ", ".join(method.name for method in own)
        raise InputError("--method", [Problem("method", plain, expected, advice)])
    method = known[plain]
    if not words:
        return method
    return _with_solver(method, words) if method.formulation else _with_options(method, words)


def _with_solver(method: Method, words: list[str]) -> Method:
    from .formulations.door.solve import find_solver

    solver = find_solver(":".join(words)).name
    return replace(method, name=f"{method.name}:{solver}", solver=solver)


def _with_options(method: Method, words: list[str]) -> Method:
    from .instances.options import read_words, with_options
    from .instances.reading.encode import dump, plain

    if method.usual is None:
        expected = f"{method.name!r} alone; it has no options"
        named = ":".join([method.name, *words])
        advice = "leave out the colon and what follows; see `ringyard list options`"
        raise InputError("--method", [Problem("method", named, expected, advice)])
    where = f"--method {method.name}"
    options = with_options(method.usual, read_words(words, where, "seed=1"), where)
    given = plain(options, defaults="none").items()
    told = [key + "=" + dump(value).strip('"') for key, value in given]
    return replace(method, name=":".join([method.name, *told]), options=options)


def solvers_for(method: Method, *, installed: bool = True) -> list[str]:
    """Return the solvers that take the program of a method, the missing ones only on demand."""
    from .formulations.door.solve import SOLVERS
    from .formulations.named import parts

    need = "nonconvex" if parts(method.formulation)[0].form == "nonlinear" else "milp"
    able = [solver for solver in SOLVERS if need in solver.can]
    return [solver.name for solver in able if solver.installed or not installed]
