"""`check_formulation`: our programs keep to it, and it finds what is wrong with others."""

from pathlib import Path

import pytest

from ringyard.families import FAMILIES
from ringyard.instances.catalogue import load
from ringyard.testing import check_formulation


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("linearised", "hand-contend"),
        ("disjunctive-bigm", "hand-contend"),
        ("offline", "hand-online-wait"),
        ("oasis", "hand-online-wait"),
        ("tickwise", "tiny-trace-03x1"),
    ],
)
def test_our_programs_keep_to_it(name: str, instance: str) -> None:
    assert check_formulation(name, instances=[load(instance)], time_limit=60).tried == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [one.formulation for home in FAMILIES.values() for one in home.methods if one.formulation],
)
def test_our_programs_keep_to_it_on_more(name: str) -> None:
    long = name.startswith("disjunctive-")  # Solvers take far longer than for the others.
    chosen = [load("hand-contend")] if long else None
    check_formulation(name, instances=chosen, draws=1, time_limit=60 if long else 5)


WRONG = """import pyomo.environ as pyo
from ringyard.families import Program
from ringyard.formulations.makespan import linearised
from ringyard.formulations.makespan.linearised import read, refuses, write

P = Program(name="p", about="", source="", family="makespan", exact=True)


def build(instance, horizon=None):
    model = linearised.build(instance, horizon)
    CHANGE
    return model
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        # 7 is the optimum, so this row cuts the optimum off.
        ("model.more = pyo.Constraint(expr=model.makespan_slots >= 8)", "breaks the row more"),
        ("model.more = pyo.Constraint(expr=model.makespan_slots >= 8)", "its optimum is 8, but"),
        # A makespan that ends do not push is any number.
        ("model.makespan.deactivate()", "but that of the instance is 7"),
        ("model.latest_end.set_value(2 * model.makespan_slots)", "in the program"),
    ],
)
def test_a_wrong_program_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(WRONG.replace("CHANGE", change))
    with pytest.raises(AssertionError, match=told):
        check_formulation("p.py:P", instances=[load("hand-contend")])


def test_a_missing_row_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rows for capacity, all jobs of hand-lpt start at once on the same GPUs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(WRONG.replace("CHANGE", "model.capacity.deactivate()"))
    with pytest.raises(AssertionError, match="a point of the solver is no valid schedule: capac"):
        check_formulation("p.py:P", instances=[load("hand-lpt")])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("refuses, write", "write", "module: found no refuses"),
        (
            "refuses, write\n",
            "write\n\ndef refuses(instance):\n    return 'no'\n",
            "every instance",
        ),
        ("    return model", "    raise LookupError('lost')", "lost"),
    ],
)
def test_a_program_that_cannot_be_built_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(WRONG.replace("    CHANGE\n", "").replace(old, new))
    with pytest.raises(AssertionError, match=told):
        check_formulation("p.py:P", instances=[load("hand-contend")])
