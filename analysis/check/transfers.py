"""The judge of `transfers` plans: sends, ends of flows, the rules, and the verdict.

The known part of a plan becomes parcels and the flows that carry them. Times are seconds.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush

from ...instances.transfers import Hop, Sharing, TransferPlan, TransfersInstance, Update
from .contention import max_min_rates
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed


class Routes:
    """Finds each route once. A search from a node goes on where the last one from there stopped."""

    def __init__(self, instance: TransfersInstance) -> None:
        """Store the links of every node in order."""
        self._beside: dict[str, list[str]] = {}
        for link in instance.links:
            self._beside.setdefault(link.a, []).append(link.b)
            self._beside.setdefault(link.b, []).append(link.a)
        self._trees: dict[str, tuple[dict[str, str], deque[str]]] = {}

    def between(self, source: str, target: str) -> tuple[Hop, ...]:
        """Return the route, empty from a node to itself."""
        tree = self._tree(source, target)
        route: list[Hop] = []
        while target != source:
            before = tree[target]
            route.append((before, target))
            target = before
        return tuple(reversed(route))

    def _tree(self, source: str, target: str) -> dict[str, str]:
        """Return from which node each is reached first, at least for the target."""
        came, queue = self._trees.setdefault(source, ({source: source}, deque([source])))
        while target not in came:
            node = queue.popleft()
            for there in self._beside[node]:
                if there not in came:
                    came[there] = node
                    queue.append(there)
        return came


Rank = tuple[int, int]
"""The rank of a flow: the place of its send in the plan, and its place in the send."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParcelFlow:
    """Data that flow from node to node, compared by identity."""

    rank: Rank
    route: tuple[Hop, ...]
    size: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Updates that the server applies as one.

    The flows of `gather` bring the members to an aggregator, each from its ready time on. A direct
    parcel has no such flow. When all have ended, or when its single member is ready, the flows of
    `deliver` start: to the server and, if it is copied, to the replica.
    """

    send: int
    members: tuple[Update, ...]
    gather: tuple[ParcelFlow, ...]
    deliver: tuple[ParcelFlow, ...]

    @property
    def norm(self) -> Fraction:
        """Upper bound on its change of the parameters."""
        return sum((Fraction(one.norm) for one in self.members), Fraction(0))


def parcels_of(instance: TransfersInstance, plan: TransferPlan) -> tuple[Parcel, ...]:
    """Return the usable part of each send, if it has any.

    That is the first mention of every update. A copy without a replica is not sent. If `via` is not
    an aggregator, a single update is direct, and several meet at the server.
    """
    updates, routes = {one.name: one for one in instance.updates}, Routes(instance)
    found: list[Parcel] = []
    for i, send in enumerate(plan.sends):
        names = [name for name in dict.fromkeys(send.updates) if name in updates]
        members = tuple(updates.pop(name) for name in names)
        via = send.via if send.via in instance.aggregators else None
        if len(members) > 1 and via is None:
            via = instance.server
        targets = [instance.server]
        if send.to == "both" and instance.replica is not None:
            targets.append(instance.replica)
        if members:
            found.append(_parcel(i, members, via, targets, routes))
    return tuple(found)


def _parcel(
    send: int, members: tuple[Update, ...], via: str | None, targets: Sequence[str], routes: Routes
) -> Parcel:
    legs = [] if via is None else [(one.worker, via, one.size_gb) for one in members]
    source, size = via or members[0].worker, max(one.size_gb for one in members)
    gathering = len(legs)
    legs += [(source, target, size) for target in targets]
    flows = tuple(
        ParcelFlow(rank=(send, k), route=routes.between(here, there), size=Fraction(size_gb))
        for k, (here, there, size_gb) in enumerate(legs)
    )
    gather, deliver = flows[:gathering], flows[gathering:]
    return Parcel(send=send, members=members, gather=gather, deliver=deliver)


@dataclass(slots=True, kw_only=True, eq=False)
class Stream:
    """Active flows that have the same rate at all times, compared by identity.

    `hops` and `most` decide this rate: the links that other flows cross, too, and the bandwidth of
    the slowest link that each flow has to itself, if it has one.
    """

    hops: tuple[Hop, ...]
    most: Fraction | None
    given: Fraction = Fraction(0)
    """The data that a flow has received if it was active from the beginning."""
    ends: list[tuple[Fraction, Rank, ParcelFlow]] = field(default_factory=list)
    """A heap: what `given` is when a flow ends."""


Rates = dict[Stream, Fraction]


def in_order(streams: Sequence[Stream], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give each flow in turn the smallest remaining capacity on its route."""
    free, rates = dict(bandwidth), Rates()
    for stream in sorted(streams, key=lambda stream: stream.ends[0][1]):
        rate = min(free[hop] for hop in stream.hops)
        if rate:
            rates[stream] = rate
            for hop in stream.hops:
                free[hop] -= rate
    return rates


def alike(streams: Sequence[Stream], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give max-min fair rates. Links of single flows are one link of the stream."""
    counts = {stream: len(stream.ends) for stream in streams}
    routes: dict[Stream, tuple[Hop | Stream, ...]] = {}
    capacity: dict[Hop | Stream, Fraction] = {
        hop: bandwidth[hop] for stream in streams for hop in stream.hops
    }
    for stream in streams:
        routes[stream] = stream.hops
        if stream.most is not None:
            routes[stream] = (*stream.hops, stream)
            capacity[stream] = stream.most * counts[stream]
    return max_min_rates(routes, capacity, counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedParcel:
    """A parcel and when it is applied, with `before` updates applied before it."""

    parcel: Parcel
    moment: Fraction
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The parcels that are applied, in order.

    `stuck` is a parcel that is never applied, and `excess` the amount by which it would exceed the
    limit on norms of updates that only the server has. Later parcels are never applied either.
    `spread` is the maximum sum of these norms.
    """

    applied: tuple[AppliedParcel, ...]
    spread: Fraction
    stuck: Parcel | None = None
    excess: Fraction = Fraction(0)


def story_of(
    instance: TransfersInstance, parcels: Sequence[Parcel], ends: Mapping[Rank, Fraction]
) -> Story:
    """Apply parcels in the order of arrival, with ties in the order of the plan."""
    most = instance.divergence
    applied: list[AppliedParcel] = []
    copies: list[tuple[Fraction, Fraction]] = []
    now = alone = spread = Fraction(0)
    before = 0
    for parcel in sorted(parcels, key=lambda one: (ends[one.deliver[0].rank], one.send)):
        now = max(now, ends[parcel.deliver[0].rank])
        alone += parcel.norm
        for copy in parcel.deliver[1:]:
            heappush(copies, (ends[copy.rank], parcel.norm))
        while True:
            while copies and copies[0][0] <= now:
                alone -= heappop(copies)[1]
            if most is None or alone <= most:
                break
            if not copies:
                excess = alone - Fraction(most)
                return Story(applied=tuple(applied), spread=spread, stuck=parcel, excess=excess)
            now = copies[0][0]
        spread = max(spread, alone)
        applied.append(AppliedParcel(parcel=parcel, moment=now, before=before))
        before += len(parcel.members)
    return Story(applied=tuple(applied), spread=spread)


def ends_of(
    instance: TransfersInstance, parcels: Sequence[Parcel], sharing: Sharing
) -> dict[Rank, Fraction]:
    """Return the end of each flow, which always exists."""
    share, bandwidth = (alike if sharing == "fair" else in_order), instance.hops
    replay = _Replay(parcels, streams_of(parcels, sharing, bandwidth))
    while active := replay.start():
        replay.advance(share(active, bandwidth))
    return replay.ends


def streams_of(
    parcels: Sequence[Parcel], sharing: Sharing, bandwidth: Mapping[Hop, Fraction]
) -> dict[Rank, Stream]:
    """Return the stream of each flow.

    With `ordered` sharing, each flow is one. Max-min fairness does not change if two flows with the
    same shared links and the same limit are exchanged, so their rates are equal.
    """
    flows = [flow for parcel in parcels for flow in (*parcel.gather, *parcel.deliver)]
    if sharing == "ordered":
        return {flow.rank: Stream(hops=flow.route, most=None) for flow in flows}
    crossing = Counter(hop for flow in flows for hop in flow.route)
    found: dict[tuple[tuple[Hop, ...], Fraction | None], Stream] = {}
    streams: dict[Rank, Stream] = {}
    for flow in flows:
        hops = tuple(hop for hop in flow.route if crossing[hop] > 1)
        most = min((bandwidth[hop] for hop in flow.route if crossing[hop] == 1), default=None)
        if (hops, most) not in found:
            found[hops, most] = Stream(hops=hops, most=most)
        streams[flow.rank] = found[hops, most]
    return streams


class _Replay:
    """Future flows, active flows with their remaining data, and the ends of the completed flows."""

    def __init__(self, parcels: Sequence[Parcel], streams: Mapping[Rank, Stream]) -> None:
        self._parcels = {parcel.send: parcel for parcel in parcels}
        self._gathering = {parcel.send: len(parcel.gather) for parcel in parcels}
        self._streams = streams
        self._now = Fraction(0)
        self._coming: list[tuple[Fraction, Rank, ParcelFlow]] = []
        self._active: dict[Stream, None] = {}
        self.ends: dict[Rank, Fraction] = {}
        for parcel in parcels:
            for update, flow in zip(parcel.members, parcel.gather or parcel.deliver, strict=False):
                self._come(Fraction(update.ready_s), flow)
            if not parcel.gather:
                for flow in parcel.deliver[1:]:
                    self._come(Fraction(parcel.members[0].ready_s), flow)

    def start(self) -> list[Stream]:
        """Start due flows, or the next ones if none is active. Return the streams with flows."""
        while self._coming and (not self._active or self._coming[0][0] <= self._now):
            start, rank, flow = heappop(self._coming)
            self._now = max(self._now, start)
            if flow.route:
                stream = self._streams[rank]
                self._active[stream] = None
                heappush(stream.ends, (stream.given + flow.size, rank, flow))
            else:
                self._end(flow)
        return list(self._active)

    def advance(self, rates: Mapping[Stream, Fraction]) -> None:
        """Advance to the next start or end."""
        step = min((stream.ends[0][0] - stream.given) / rate for stream, rate in rates.items())
        if self._coming:
            step = min(step, self._coming[0][0] - self._now)
        self._now += step
        for stream, rate in rates.items():
            stream.given += rate * step
            while stream.ends and stream.ends[0][0] == stream.given:
                self._end(heappop(stream.ends)[2])
            if not stream.ends:
                del self._active[stream]

    def _end(self, flow: ParcelFlow) -> None:
        self.ends[flow.rank] = self._now
        parcel = self._parcels[flow.rank[0]]
        if flow.rank[1] < len(parcel.gather):
            self._gathering[parcel.send] -= 1
            if not self._gathering[parcel.send]:
                for after in parcel.deliver:
                    self._come(self._now, after)

    def _come(self, start: Fraction, flow: ParcelFlow) -> None:
        heappush(self._coming, (start, flow.rank, flow))


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersCase:
    """The data of all rules: instance, plan, and its result."""

    instance: TransfersInstance
    schedule: TransferPlan
    parcels: tuple[Parcel, ...]
    story: Story
    value: Fraction


def known_names(case: TransfersCase) -> Breaches:
    """Every update that the plan names is in the instance."""
    known = {one.name for one in case.instance.updates}
    for i, send in enumerate(case.schedule.sends):
        for name in send.updates:
            if name not in known:
                yield _place(i, name), ONE


def once(case: TransfersCase) -> Breaches:
    """No update is sent twice."""
    seen: set[str] = set()
    known = {one.name for one in case.instance.updates}
    for i, send in enumerate(case.schedule.sends):
        for name in send.updates:
            if name in seen:
                yield _place(i, name), ONE
            seen |= {name} & known


def one_way(case: TransfersCase) -> Breaches:
    """An update is direct or through an aggregator. Only there can several become one."""
    counted = {parcel.send: len(parcel.members) for parcel in case.parcels}
    for i, send in enumerate(case.schedule.sends):
        if send.via is not None and send.via not in case.instance.aggregators:
            yield f"sends[{i}], via {send.via}", ONE
        elif send.via is None and counted.get(i, 0) > 1:
            yield f"sends[{i}]", Fraction(counted[i] - 1)


def copies(case: TransfersCase) -> Breaches:
    """Copies go to a replica that the instance names."""
    for i, send in enumerate(case.schedule.sends):
        if send.to == "both" and case.instance.replica is None:
            yield f"sends[{i}]", ONE


def staleness(case: TransfersCase) -> Breaches:
    """No more updates than `staleness` were applied since the worker read the parameters."""
    most = case.instance.staleness
    if most is None:
        return
    for applied in case.story.applied:
        for one in applied.parcel.members:
            over = one.behind + applied.before - most
            if over > 0:
                yield _place(applied.parcel.send, one.name), Fraction(over)


def due(case: TransfersCase) -> Breaches:
    """An update is applied by the time it is due."""
    for applied in case.story.applied:
        for one in applied.parcel.members:
            if one.due_s is not None and applied.moment > one.due_s:
                yield _place(applied.parcel.send, one.name), applied.moment - Fraction(one.due_s)


def divergence(case: TransfersCase) -> Breaches:
    """No send waits forever because the norms of updates that only the server has are too high."""
    if case.story.stuck is not None:
        yield f"sends[{case.story.stuck.send}]", case.story.excess


def claims(case: TransfersCase) -> Breaches:
    """A claimed value is the value of the moments at which updates are applied."""
    yield from misclaimed("value_s", case.schedule.value_s, case.value)


def _place(send: int, update: str) -> str:
    return f"sends[{send}], update {update}"


RULES = Rules(
    instance_digest,
    known_names,
    once,
    one_way,
    copies,
    staleness,
    due,
    divergence,
    claims,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersVerdict(AnyVerdict):
    """Every violation, and when each update is applied."""

    applied: Mapping[str, Fraction]
    """Moments in seconds in the order of application, without updates never applied."""
    dropped: tuple[str, ...]
    value: Fraction
    """The goal's value of the moments, with updates never applied counted as dropped."""
    spread: Fraction
    """Most that the norms of updates add up to that only the server has."""

    @property
    def objective(self) -> Fraction | None:
        """The value."""
        return self.value


def check_transfers(instance: TransfersInstance, plan: TransferPlan) -> TransfersVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first mention of every known update. A copy
    without a replica is not sent. If `via` is not an aggregator, a single update is direct, and
    several become one at the server. Late and stale updates are still applied. The instance must be
    accepted by the reader.
    """
    parcels = parcels_of(instance, plan)
    story = story_of(instance, parcels, ends_of(instance, parcels, plan.sharing))
    applied = {one.name: it.moment for it in story.applied for one in it.parcel.members}
    value = _value(instance, applied)
    case = TransfersCase(
        instance=instance, schedule=plan, parcels=parcels, story=story, value=value
    )
    sent = {one.name for parcel in parcels for one in parcel.members}
    return TransfersVerdict(
        violations=RULES.violations(case),
        applied=applied,
        dropped=tuple(one.name for one in instance.updates if one.name not in sent),
        value=value,
        spread=story.spread,
    )


def _value(instance: TransfersInstance, applied: Mapping[str, Fraction]) -> Fraction:
    drop = Fraction(instance.drop_s)
    counts = [applied.get(one.name, drop) for one in instance.updates]
    return max(counts) if instance.goal == "last" else sum(counts, Fraction(0)) / len(counts)
