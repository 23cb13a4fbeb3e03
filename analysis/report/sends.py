"""The timeline of a `transfers` plan: what flows to whom when, and when it is applied."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from ...instances import TransferPlan, TransfersInstance
from ...simulation.transfers.network import Network
from ..check.transfers.judge import TransfersVerdict
from ..gantt.transfers.facts import Flowing, SendBars, gather_transfers
from ..gantt.transfers.words import names, seconds
from ..gantt.words import plural
from .timeline import Bar, Job, Span, Timeline

WORDS = {"member": "to its aggregator", "server": "to the server", "replica": "to the replica"}


def sends_timeline(
    instance: TransfersInstance,
    plan: TransferPlan,
    verdict: TransfersVerdict,
    _: float | None = None,
) -> Timeline:
    """Return the timeline of a judged plan in seconds: a band for each node that updates go to."""
    replicas = () if instance.replica is None else (instance.replica,)
    nodes = tuple(dict.fromkeys((*instance.aggregators, instance.server, *replicas)))
    place = {name: i for i, name in enumerate(nodes)}
    unit = Network.of(instance).rates[0] / Fraction(instance.links[0].gb_s)
    jobs: list[Job] = []
    bars: list[Bar] = []
    for send in gather_transfers(instance, plan, verdict, None).sends:
        ends = {"member": send.via, "server": instance.server, "replica": instance.replica}
        flows = [(flow, ends[flow.role]) for flow in send.flows if flow.pieces]
        bars += [_bar(flow, len(jobs), place[end]) for flow, end in flows if end is not None]
        if flows:
            jobs.append(_job(send, unit))
    return Timeline(
        machines=tuple((name, 0) for name in nodes),
        jobs=tuple(jobs),
        bars=tuple(bars),
        unit="s",
        rate="GB/s",
        size=f"{plural(len(jobs), 'send')} to {plural(len(nodes), 'node')}",
    )


def _bar(flow: Flowing, job: int, band: int) -> Bar:
    what = WORDS[flow.role] if flow.update is None else f"{flow.update} {WORDS[flow.role]}"
    start, end = flow.pieces[0].start, flow.pieces[-1].stop
    return Bar(job=job, band=band, start=start, end=end, units=1, what=what)


def _job(send: SendBars, unit: Fraction) -> Job:
    way = "directly" if send.via is None else f"by {send.via}"
    done = "never applied" if send.applied is None else f"applied at {seconds(send.applied)}"
    return Job(
        name=names(send),
        about=f"{way}, arrives at {seconds(send.arrives)}, {done}",
        start=min(ready for _, ready in send.updates),
        end=send.applied,
        spans=tuple(_spans(send, unit)),
    )


def _spans(send: SendBars, unit: Fraction) -> Iterator[Span]:
    """Yield what flows of a send at once, copies apart, and how long it waits to be applied.

    A gigabyte is so many units of the flows' rates.
    """
    pieces = [(f.role, p) for f in send.flows if f.role != "replica" for p in f.pieces]
    moments = sorted({at for _, piece in pieces for at in (piece.start, piece.stop)})
    for start, end in pairwise(moments):
        on = [(role, p.rate) for role, p in pieces if p.start <= start < p.stop]
        where = WORDS[on[0][0]] if on else "waits"
        rate = sum((Fraction(rate) for _, rate in on), Fraction(0))
        yield Span(start=start, end=end, rate=float(rate / unit), contention=where)
    if send.applied is not None and send.applied > send.arrives:
        yield Span(start=send.arrives, end=send.applied, rate=0.0, contention="waits to be applied")
