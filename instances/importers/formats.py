"""The formats of foreign traces by name."""

from collections.abc import Callable
from dataclasses import dataclass

from ...extensions.entry_points import Brought, named
from ..errors import InputError, unknown
from . import gavel, own, philly, sacct
from .cells import Foreign, Source
from .dialects import CHRONUS, HELIOS, MURI, PAI, TIRESIAS
from .reading import Reading


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is, and what reads it."""

    about: str
    read: Callable[[Source, Reading], Foreign]
    """Notes the faults of a source as it reads, and returns its jobs."""


FORMATS = {
    "philly": Format("Microsoft's Philly log (JSON: cluster_job_log)", philly.read),
    "helios": Format("SenseTime's Helios logs (CSV: cluster_log.csv)", HELIOS.read),
    "pai": Format("job lists of the simulator for Alibaba's PAI trace (CSV)", PAI.read),
    "tiresias": Format("job lists of Tiresias and ElasticFlow (CSV, seconds)", TIRESIAS.read),
    "muri": Format("job lists of Muri (CSV, milliseconds)", MURI.read),
    "chronus": Format("job lists of Chronus (CSV, minutes)", CHRONUS.read),
    "gavel": Format("traces of Gavel and Shockwave (cells between tabs)", gavel.read),
    "sacct": Format("what Slurm's sacct --parsable2 prints", sacct.read),
    "csv": Format("Ringyard's own CSV, as `ringyard export --format csv` writes it", own.read),
}
"""Formats by name."""

GROUP = "ringyard.importers"
"""Entry points of this group are formats of other packages: a `Format` each."""


def find_format(name: str) -> Format:
    """Return a format by name."""
    if name in FORMATS:
        return FORMATS[name]
    if name in named(GROUP):
        return extension_format(named(GROUP)[name])
    known = [*FORMATS, *named(GROUP)]
    raise InputError(
        "ringyard import", [unknown("format", name, known, "see `ringyard list formats`")]
    )


def extension_format(one: Brought) -> Format:
    """Return a format of another package."""
    found: Format = one.load(Format)
    return Format(found.about, one.guard(found.read, Foreign))
