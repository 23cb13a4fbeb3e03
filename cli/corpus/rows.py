"""What is known of a program, as the keys of a JSON object or the columns of a CSV file."""

from typing import Any

from ...formulations.corpus.index import CorpusEntry


def fact_row(one: CorpusEntry) -> dict[str, Any]:
    """Return all facts about a program; None where there is none."""
    recipe = one.recipe
    return {
        "name": one.name,
        "instance": recipe.instance,
        "formulation": recipe.program,
        "number": recipe.number,
        "relaxed": recipe.relaxed,
        "family": one.family,
        "class": one.kind,
        "columns": one.columns,
        "rows": one.rows,
        "nonzeros": one.nonzeros,
        "integers": one.integers,
        "density": float(f"{one.density:.3g}"),
        "smallest_coefficient": one.smallest,
        "largest_coefficient": one.largest,
        "digest": one.digest,
        "value": one.value,
        "miss": one.miss,
        "source": one.source,
        "infeasible": one.infeasible,
        "certified_bound": one.bound,
        "certificate": one.certificate,
        "claimed_bound": one.claimed,
        "optimum": one.optimum,
        "provers": " ".join(one.provers),
        "wrong": " ".join(one.wrong),
        "difficulty": one.difficulty,
        "limit_s": one.limit_s,
        "claims": "; ".join(
            f"{claim.solver} {claim.version}: {claim.termination}, {claim.status}, "
            f"{claim.seconds:g} s"
            for claim in one.claims
        ),
    }
