"""Contradictions among rows, seen at once or row by row."""

from random import Random
from typing import Any

from ringyard.analysis.stats.references import contradictions, extremes


def row(rng: Random, sense: str) -> dict[str, Any]:
    """Return a row with some value, some bound, both or neither."""
    valid = rng.random() < 0.6
    return {
        "digest": "d",
        "instance": "yard",
        "method": f"m{rng.randrange(9)}",
        "sense": sense,
        "valid": valid,
        "objective": float(rng.randrange(5, 12)) if valid else None,
        "bound": float(rng.randrange(3, 9)) if rng.random() < 0.7 else None,
        "bound_kind": rng.choice(["searched", "dual", "none"]),
    }


def test_row_by_row_the_same_campaigns_are_contradictory() -> None:
    rng, seen = Random(0), set()
    for _ in range(300):
        sense = rng.choice(["min", "max"])
        rows = [row(rng, sense) for _ in range(6)]
        kept: list[dict[str, Any]] = []
        crossed = False
        for one in rows:
            crossed = crossed or bool(contradictions([*kept, one]))
            kept = extremes([*kept, one])
        assert len(kept) <= 2
        assert crossed == bool(contradictions(rows))
        seen.add(crossed)
    assert seen == {True, False}
