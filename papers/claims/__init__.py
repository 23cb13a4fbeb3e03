"""`ringyard reproduce claims`: every claim of the papers, with a verdict and a command.

Nothing is measured here. Verdicts follow from the tables that other reproductions left in the
pages, from short runs, and from named tests, so no verdict outlives its evidence.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...analysis.tables import Table, texts
from ...campaigns.reproductions import Answers, Results, Settings
from ..study import table_of
from .deciders import ClaimVerdict, PaperClaim, Ruled, StatedClaim
from .measured import PAGES, MeasuredParts
from .other_papers import BOA_CLAIMS, SYSTEM_CLAIMS
from .pd_ors import PD_ORS_CLAIMS
from .sjf_bco import SJF_BCO_CLAIMS
from .tiresias import TIRESIAS_CLAIMS

CLAIMS: dict[str, tuple[str, Mapping[str, Iterable[StatedClaim]]]] = {
    "sjf-bco": ("SJF-BCO", SJF_BCO_CLAIMS),
    "pd-ors": ("PD-ORS, OASiS, SMD and GADGET", PD_ORS_CLAIMS),
    "boa": ("BOA", BOA_CLAIMS),
    "tiresias": ("Tiresias, Optimus and Gandiva", TIRESIAS_CLAIMS),
    "systems": ("codes, shuffling, MLfabric, ONES and more", SYSTEM_CLAIMS),
}
"""By part of the page: the papers, and the claims of each."""

Decided = tuple[PaperClaim, Ruled]


@dataclass(frozen=True, slots=True)
class ClaimsSummary:
    """A campaign without runs: it reports on the results of other campaigns."""

    measured: MeasuredParts

    def report(self, _: Settings, __: Answers | None = None) -> Results:
        """Decide every claim."""
        decided = {
            part: [(one, ruled_of(one, self.measured)) for one in claims_of(part)]
            for part in CLAIMS
        }
        tables = {part: _claims_table(CLAIMS[part][0], some) for part, some in decided.items()}
        every = [one for some in decided.values() for one in some]
        return Results(
            tables={"verdicts": _verdicts_table(every), **tables},
            statements=tuple(_statements(every)),
        )


def claims_of(part: str) -> Iterator[PaperClaim]:
    """Yield the claims of a part of the page."""
    for paper, claims in CLAIMS[part][1].items():
        yield from (PaperClaim(paper, *one) for one in claims)


def ruled_of(claim: PaperClaim, measured: MeasuredParts) -> Ruled:
    """Return the verdict on a claim. What was recalled from memory is reproduced as recalled."""
    found = claim.decider.ruled(measured)
    recalled = claim.source.endswith(RECALLED) and found.verdict is ClaimVerdict.REPRODUCED
    return found._replace(verdict=ClaimVerdict.RECALLED) if recalled else found


RECALLED = "(recalled)"
"""The end of the source of a claim that was not read in the paper."""


def summary(docs: Path | None, out: Path) -> ClaimsSummary:
    """Return the campaign over the pages, or over the files of a folder if there are no pages."""
    pages = docs if docs is not None else PAGES if PAGES.is_dir() else None
    return ClaimsSummary(MeasuredParts(docs=pages, out=out))


def report(settings: Settings, answers: Answers | None = None) -> Results:
    """Decide every claim by the pages of this checkout."""
    return summary(None, Path()).report(settings, answers)


def _claims_table(papers: str, decided: Sequence[Decided]) -> Table:
    """Return a row for each claim."""
    return table_of(
        f"Claims of the papers, with verdicts: {papers}",
        texts("paper", "claim", "source", "verdict", "basis", "command"),
        (
            (one.paper, one.says, one.source, str(ruled.verdict), ruled.why, one.decider.command())
            for one, ruled in decided
        ),
        "Recalled: not read in the paper, but recalled or derived. Numbers measured here have "
        "95 % intervals.",
        shared=1,
    )


def _verdicts_table(decided: Sequence[Decided]) -> Table:
    """Return how many claims of each paper have each verdict."""
    papers = dict.fromkeys(one.paper for one, _ in decided)
    counts = Counter((one.paper, ruled.verdict) for one, ruled in decided)
    return table_of(
        "Claims of the papers by verdict",
        {"paper": None, **{str(verdict): 0 for verdict in ClaimVerdict}},
        ((paper, *(float(counts[paper, verdict]) for verdict in ClaimVerdict)) for paper in papers),
    )


def _statements(decided: Sequence[Decided]) -> Iterator[str]:
    """Tally the claims by verdict, and list the false ones."""
    counts = Counter(ruled.verdict for _, ruled in decided)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ClaimVerdict)
    yield f"{len(decided)} claims: {parts}"
    for one, ruled in decided:
        if ruled.verdict in (ClaimVerdict.FALSE, ClaimVerdict.WEAKENED):
            place = one.source.removesuffix(f" {RECALLED}")
            yield f"{ruled.verdict}: {one.paper}, {place}: {one.says} ({ruled.why})"
