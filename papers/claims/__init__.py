"""`ringyard reproduce claims`: every claim of the papers, its verdict, and the command behind it.

Nothing is measured here. Verdicts follow from the tables that other reproductions left in the
pages, from short runs, and from named tests, so no verdict outlives its evidence.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...analysis.tables import Table, columns_of, texts
from ...campaigns.reproductions import Answers, Known, Results, Settings
from ...campaigns.runs import Run
from .deciders import PAGES, ClaimVerdict, MeasuredParts, PaperClaim, Ruled
from .other_papers import boa_claims, system_claims
from .pd_ors import pd_ors_claims
from .sjf_bco import sjf_bco_claims
from .tiresias import tiresias_claims

SEEDS = {
    "sjf-bco": ("SJF-BCO", sjf_bco_claims),
    "pd-ors": ("PD-ORS, OASiS, SMD and GADGET", pd_ors_claims),
    "boa": ("BOA", boa_claims),
    "tiresias": ("Tiresias, Optimus and Gandiva", tiresias_claims),
    "systems": ("codes, shuffling, MLfabric, ONES and others", system_claims),
}
"""By part of the page: which papers, and the function that yields their claims."""

Decided = tuple[PaperClaim, Ruled]


@dataclass(frozen=True, slots=True)
class ClaimsSummary:
    """A campaign without runs: it reports on the results of other campaigns."""

    measured: MeasuredParts

    def runs(self, _: Settings, __: Known | None = None) -> Iterator[Run]:
        """Yield nothing."""
        return iter(())

    def report(self, _: Settings, __: Answers | None = None) -> Results:
        """Decide every claim."""
        decided = {
            part: [(one, one.decider.ruled(self.measured)) for one in claims()]
            for part, (_, claims) in SEEDS.items()
        }
        tables = {part: _claims_table(SEEDS[part][0], some) for part, some in decided.items()}
        every = [one for some in decided.values() for one in some]
        return Results(
            tables={"verdicts": _verdicts_table(every), **tables},
            statements=tuple(_statements(every)),
        )


def summary(docs: Path | None, out: Path) -> ClaimsSummary:
    """Return the campaign over the pages, or over the files of a folder if there are no pages."""
    pages = docs if docs is not None else PAGES if PAGES.is_dir() else None
    return ClaimsSummary(MeasuredParts(docs=pages, out=out))


def runs(settings: Settings, known: Known | None = None) -> Iterator[Run]:
    """Yield nothing."""
    return summary(None, Path()).runs(settings, known)


def report(settings: Settings, answers: Answers | None = None) -> Results:
    """Decide every claim by the pages of this checkout."""
    return summary(None, Path()).report(settings, answers)


def _claims_table(papers: str, decided: Sequence[Decided]) -> Table:
    """Return a row for each claim."""
    return Table(
        caption=f"Claims of the papers, and what is known of them: {papers}",
        columns=texts("paper", "claim", "source", "verdict", "what it rests on", "command"),
        rows=tuple(
            (one.paper, one.says, one.source, str(ruled.verdict), ruled.why, one.decider.command())
            for one, ruled in decided
        ),
        shared=1,
        notes=(
            "Recalled: not read in the paper, but recalled or worked out again. Numbers of ours "
            "have 95 % intervals.",
        ),
    )


def _verdicts_table(decided: Sequence[Decided]) -> Table:
    """Return how many claims of each paper have each verdict."""
    papers = dict.fromkeys(one.paper for one, _ in decided)
    counts = Counter((one.paper, ruled.verdict) for one, ruled in decided)
    return Table(
        caption="Claims of the papers by verdict",
        columns=columns_of({"paper": None, **{str(verdict): 0 for verdict in ClaimVerdict}}),
        rows=tuple(
            (paper, *(float(counts[paper, verdict]) for verdict in ClaimVerdict))
            for paper in papers
        ),
    )


def _statements(decided: Sequence[Decided]) -> Iterator[str]:
    """Count the claims by verdict, and list the false ones."""
    counts = Counter(ruled.verdict for _, ruled in decided)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ClaimVerdict)
    yield f"{len(decided)} claims: {parts}"
    for one, ruled in decided:
        if ruled.verdict is ClaimVerdict.FALSE:
            yield f"false: {one.paper}, {one.place}: {one.says} ({ruled.why})"
