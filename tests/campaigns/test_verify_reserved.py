"""GADGET's theorem held against runs: exact slots only, on random instances too."""

from fractions import Fraction

from ringyard.analysis.guarantees import FactorVerdict
from ringyard.campaigns.verifying.theorems import claimed_policies, random_runs, verify
from ringyard.instances.catalogue import load
from ringyard.instances.reserved.mix import random_links


def test_it_speaks_of_exact_slots_only() -> None:
    (loose,) = verify(load("hand-gadget-later"), ["gadget"])
    assert (loose.factor, loose.verdict) == (None, FactorVerdict.INCONCLUSIVE)
    assert loose.remark == "needs slots filled exactly: slot is 'lp'"
    (exact,) = verify(load("hand-gadget-later"), ["gadget:slot=exact"])
    assert (exact.verdict, exact.value) == (FactorVerdict.HOLDS, 11)
    # Three rings, two slots, and one worker gains 6: 2 and what twelve decimals may have lost.
    assert exact.factor == 2 + Fraction(9, 6 * 10**12)


def test_it_holds_on_random_instances() -> None:
    methods = claimed_policies("reserved")
    assert methods == ["gadget:slot=exact"]
    for findings in random_runs(range(12), methods, "reserved", seed=1):
        assert findings.tallies["slot-by-slot"].verdicts[FactorVerdict.HOLDS] == 1
        assert findings.broken == []


def test_random_links_are_drawn_again() -> None:
    assert random_links(1, 2) == random_links(1, 2)
    assert random_links(1, 2) != random_links(1, 3)
