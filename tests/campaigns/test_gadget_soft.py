"""`ringyard reproduce gadget`: slots are filled by draws, and what breaks the theorem is seen."""

from dataclasses import replace

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.instances.catalogue import load
from ringyard.papers import gadget
from ringyard.papers.gadget import SoftRun, filled, report

SETTINGS = Settings(seeds=1, points=1)


def test_the_next_slot_goes_on_from_what_draws_have_given() -> None:
    """Gains grow ever more slowly: the same rings gain less in the last slot than in the first."""
    found = filled(load("gadget-small-12x6x10"), 0)
    assert len(found.slots) == 10
    assert found.slots[-1].loose < max(slot.loose for slot in found.slots)
    assert found.kept
    assert 1 / (3 * found.gamma + 1) < found.part < 1.1


def test_what_fits_gains_no_more_than_the_relaxation() -> None:
    found = filled(load("gadget-small-03x3x4"), 0)
    draws = [(slot, draw) for slot in found.slots for draw in slot.draws]
    assert all(0 < draw.fitting <= slot.loose + 1e-9 for slot, draw in draws)
    assert all(
        (draw.fitting == draw.gain) == (max(draw.machine, draw.link) <= 1) for _, draw in draws
    )


def test_a_gain_below_the_theorem_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def less(*_: object) -> SoftRun:
        kept = filled(load("gadget-small-03x3x4"), 0)
        return replace(kept, part=0.99 / (3 * kept.gamma + 1))

    (good,) = report(SETTINGS).statements
    assert "kept in all slots. 60 of 60 draws" in good
    monkeypatch.setattr(gadget, "filled", less)
    (bad,) = report(SETTINGS).statements
    assert "kept not in all slots" in bad
