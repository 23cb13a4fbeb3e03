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
from .measured import PAGES, MeasuredParts
from .other_papers import BOA_CLAIMS, SYSTEM_CLAIMS
from .pd_ors import PD_ORS_CLAIMS
from .sjf_bco import SJF_BCO_CLAIMS
from .tiresias import TIRESIAS_CLAIMS
from .verdicts import ClaimVerdict, Known, PaperClaim, Ruled, StatedClaim

CLAIMS: dict[str, tuple[str, Mapping[str, Iterable[StatedClaim]]]] = {
    "sjf-bco": ("SJF-BCO", SJF_BCO_CLAIMS),
    "pd-ors": ("PD-ORS, OASiS, SMD and GADGET", PD_ORS_CLAIMS),
    "boa": ("BOA", BOA_CLAIMS),
    "tiresias": ("Tiresias, Optimus and Gandiva", TIRESIAS_CLAIMS),
    "systems": ("codes, shuffling, MLfabric, ONES, Gavel and more", SYSTEM_CLAIMS),
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
            part: [(one, one.ruled(self.measured)) for one in claims_of(part)] for part in CLAIMS
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
            (
                one.paper,
                one.says,
                one.source,
                _verdict(one, ruled),
                ruled.why,
                one.decider.command(),
            )
            for one, ruled in decided
        ),
        "Numbers measured here have 95 % intervals.",
        shared=1,
    )


def _verdict(claim: PaperClaim, ruled: Ruled) -> str:
    """Return a verdict with what it rests on, unless that is the text and data of the paper."""
    rests = claim.known is not Known.PRINTED and ruled.verdict not in WITHOUT
    return f"{ruled.verdict}, {claim.known}" if rests else str(ruled.verdict)


WITHOUT = (ClaimVerdict.UNCHECKABLE, ClaimVerdict.UNTRIED)
"""Nothing was compared."""


def _verdicts_table(decided: Sequence[Decided]) -> Table:
    """Return how many claims have each verdict, by what was known of them."""
    counts = Counter((ruled.verdict, one.known) for one, ruled in decided)
    return table_of(
        "Claims of the papers by verdict",
        {"verdict": None, **{str(known): 0 for known in Known}, "all": 0},
        (
            (str(verdict), *some, sum(some))
            for verdict in ClaimVerdict
            for some in [[float(counts[verdict, known]) for known in Known]]
        ),
    )


def _statements(decided: Sequence[Decided]) -> Iterator[str]:
    """Count the claims by paper, and list the false ones."""
    papers = Counter(one.paper for one, _ in decided)
    weakened = sum(ruled.verdict is ClaimVerdict.WEAKENED for _, ruled in decided)
    yield (
        f"{len(decided)} claims: {', '.join(f'{papers[name]} {name}' for name in papers)}. The "
        f"{weakened} that are false as weakened leave out a premise, so no paper is known to claim "
        "them"
    )
    for one, ruled in decided:
        if ruled.verdict in (ClaimVerdict.FALSE, ClaimVerdict.WEAKENED, ClaimVerdict.SLIP):
            verdict = _verdict(one, ruled)
            place = one.source.partition(" (")[0]
            yield f"{verdict}: {one.paper}, {place}: {one.says} ({ruled.why})"
