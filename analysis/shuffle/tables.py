"""Formulas beside measured messages, as tables."""

from collections.abc import Sequence

from ..tables import Column, Table
from .measure import Measured

NOTE = (
    "p: the part of the others' rows in a cache. Formula: mean lengths of queues. Padded: the "
    "longest queue of each set of workers, by formula if queues were independent Poisson numbers. "
    "Intervals: 95 %, Student's t over seeds. Gain: uncoded over coded cost by formula, and as "
    "published, (p + 1/n) gamma(n)."
)


def measured_table(points: Sequence[Measured], caption: str) -> Table:
    """Return a line for each setting."""
    return Table(
        caption=caption,
        columns=(
            Column(head="q"),
            Column(head="n"),
            Column(head="s"),
            Column(head="p", digits=3),
            Column(head="formula", digits=1, over="uncoded"),
            Column(head="measured", digits=1, over="uncoded"),
            Column(head="formula", digits=1, over="coded"),
            Column(head="measured", digits=1, over="coded"),
            Column(head="formula", digits=1, over="padded"),
            Column(head="measured", digits=1, over="padded"),
            Column(head="over coded", digits=3, over="padded"),
            Column(head="exact", digits=2, over="gain"),
            Column(head="published", digits=2, over="gain"),
        ),
        rows=tuple(
            (
                float(one.setting.rows),
                float(one.setting.workers),
                float(one.setting.cache),
                float(one.setting.excess),
                float(one.uncoded_rate),
                one.uncoded,
                float(one.coded_rate),
                one.mean,
                one.padded_rate,
                one.padded,
                one.padded.mean / float(one.coded_rate) if one.coded_rate else None,
                one.gain,
                one.asymptotic_gain,
            )
            for one in points
        ),
        notes=(NOTE,),
    )
