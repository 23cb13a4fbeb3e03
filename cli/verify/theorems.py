"""What `ringyard verify` ends with: a sentence for each theorem."""

from collections import Counter
from typing import TYPE_CHECKING

from ...analysis.guarantees.guarantee import FactorVerdict
from ...instances.errors import plural
from ..shared.output import say

if TYPE_CHECKING:
    from ...campaigns.verifying.random_runs import TheoremTally, VerifiedRuns
    from ...campaigns.verifying.roundings import RoundingRow
    from ...campaigns.verifying.verify import VerifiedRun


def show_theorems(
    rows: "list[VerifiedRun]", rounded: "list[RoundingRow]", found: "VerifiedRuns"
) -> None:
    """Say of each theorem on how many runs it held, of named and of random instances together."""
    from ...campaigns.verifying.random_runs import TheoremTally

    tallies: dict[str, TheoremTally] = {}
    for row in rows:
        tallies.setdefault(row.guarantee.name, TheoremTally()).add(row)
    for name, tally in found.tallies.items():
        tallies.setdefault(name, TheoremTally()).join(tally)
    if tallies:
        say()
    for name, tally in tallies.items():
        say(theorem_sentence(name, tally))
    for form in dict.fromkeys(row.gain.form for row in rounded):
        said = [r.statement for r in rounded if r.gain.form == form and r.statement.what == "all"]
        say(_rounding_sentence(form, Counter(one.verdict.partition(":")[0] for one in said)))


def theorem_sentence(name: str, tally: "TheoremTally") -> str:
    """Say on how many runs a theorem held, how near they came, and of how many it is silent."""
    spoken = tally.verdicts.total()
    parts = [_held(tally, spoken)] if spoken else []
    if tally.nearest and not tally.verdicts[FactorVerdict.VIOLATED]:
        parts.append(f"closest at {float(tally.nearest):.3g} of its factor")
    if tally.silent:
        parts.append(f"hypothesis not met on {plural(tally.silent, 'run')}")
    return f"{name}: {', '.join(parts)}"


def _rounding_sentence(form: str, verdicts: Counter[str]) -> str:
    """Say for how many gains of a form its statements held."""
    unmet = verdicts.pop("hypothesis not met", 0)
    held = verdicts.pop("holds", 0)
    parts = [f"held for {plural(held, 'gain')}"] if held or not unmet else []
    parts += [f"{verdict} for {count:,}" for verdict, count in verdicts.items()]
    parts += [f"hypothesis not met for {plural(unmet, 'gain')}"] if unmet else []
    return f"random rounding, {form} gains: {', '.join(parts)}"


def _held(tally: "TheoremTally", spoken: int) -> str:
    """Count the verdicts; of those that are not `holds` only what there is."""
    held = tally.verdicts[FactorVerdict.HOLDS]
    of = "" if held == spoken else f"{held:,} of "
    others = [one for one in FactorVerdict if tally.verdicts[one] and one != FactorVerdict.HOLDS]
    told = (f"{one.value} on {tally.verdicts[one]:,}" for one in others)
    return ", ".join([f"held on {of}{plural(spoken, 'run')}", *told])
