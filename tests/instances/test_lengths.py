"""Lengths of time as options state them."""

from decimal import Decimal

import pytest

from ringyard.analysis.whatif.goal import goal_of
from ringyard.cli.replan import _amount
from ringyard.instances import InputError
from ringyard.instances.lengths import length_of, length_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("300", 300),
        ("1.5", Decimal("1.5")),
        ("90s", 90),
        ("20m", 1200),
        ("20min", 1200),
        ("0.5h", 1800),
        (" 4h ", 14_400),
        ("2d", 172_800),
        ("2 days", 172_800),
        ("1234567890123s", 1_234_567_890_123),
    ],
)
def test_a_length_is_a_number_and_perhaps_a_unit(text: str, seconds: Decimal) -> None:
    found = length_of(text)
    assert found is not None
    assert found.seconds == seconds


@pytest.mark.parametrize("text", ["", "h", "-1h", "+1h", "1 week", "1h30m", "1e3", ".5h", "1.h"])
def test_other_texts_are_no_length(text: str) -> None:
    assert length_of(text) is None


def test_every_option_reads_the_same_lengths() -> None:
    """A goal needs a unit, and a moment of a plan may have a sign."""
    for text in ("90s", "20m", "20min", "1.5h", "2d", "2 days", "2days"):
        found = length_of(text)
        assert found is not None
        assert goal_of(f"p95 wait {text}").limit == goal_of(f"p95 wait<={text}").limit
        assert goal_of(f"p95 wait {text}").limit == found.seconds
        for sign in ("", "+"):
            assert _amount("--now", sign + text, clock=True) == found.seconds
    assert _amount("--now", "12.5", clock=False) == _amount("--now", "12.5", clock=True)
    assert goal_of("p95 slowdown 2").limit == 2
    with pytest.raises(InputError, match="a number of slots"):
        _amount("--now", "20m", clock=False)
    for text in ("p95 wait 300", "p95 slowdown 2h", "p95 wait 1000000000s", f"p95 wait {10**400}d"):
        with pytest.raises(InputError, match="a time in s, min, h or d"):
            goal_of(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2min"),
        (5400, "90min"),
        (7200, "2h"),
        (100_000, "27.8h"),
        (172_800, "2d"),
        (86_400 * 1234.5, "1234d"),
    ],
)
def test_a_length_is_written_as_it_is_read(seconds: float, text: str) -> None:
    assert length_text(seconds) == text
    found = length_of(text)
    assert found is not None
    assert float(found.seconds) == pytest.approx(seconds, rel=0.01)
