"""Names of rows are taken apart and said by component, with jobs, servers and slots."""

import pytest

from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.iis import in_words, letters, parts, without_slots

KNOWN = {"capacity": ("s", "t"), "gang": ("j",), "busiest": ("j", "u", "s", "t")}


def test_letters_come_from_the_docstring() -> None:
    found = letters("Constraints\n    gang[j] (1): sum\n    busiest[j, s, t] (6): p\n  text [5]\n")
    assert found == {"gang": ("j",), "busiest": ("j", "s", "t")}


@pytest.mark.parametrize(
    ("name", "component", "index"),
    [
        ("makespan", "makespan", ()),
        ("gang[j0]", "gang", ("j0",)),
        ("capacity[s1,3]", "capacity", ("s1", "3")),
        ("capacity['a.b[0]',3]", "capacity", ("a.b[0]", "3")),
        ("capacity['a,b',3]", "capacity", ("a,b", "3")),
        ('gang["it\'s"]', "gang", ("it's",)),
        ("gang['7']", "gang", ("7",)),
    ],
)
def test_names_of_rows_are_taken_apart(name: str, component: str, index: tuple[str, ...]) -> None:
    assert parts(name) == (component, index)


def test_rows_of_one_component_become_one_line() -> None:
    rows = ["capacity[s1,3]", "capacity[s1,4]", "capacity[s1,5]", "capacity[s1,7]", "gang[j2]"]
    assert in_words(rows, KNOWN) == [
        "capacity: server s1, slots 3-5 7 (4 rows)",
        "gang: job j2",
    ]
    assert in_words(["busiest[a,2,s0,1]", "busiest[b,2,s0,1]"], KNOWN) == [
        "busiest: jobs a b, u 2, server s0, slot 1 (2 rows)"
    ]


def test_an_unknown_component_keeps_its_indices_and_one_without_has_none() -> None:
    assert in_words(["odd[x,4]"], KNOWN) == ["odd: index 1 x, index 2 4"]
    assert in_words(["makespan"], KNOWN) == ["makespan"]


def test_slots_and_levels_do_not_part_what_belongs_together() -> None:
    assert without_slots("busiest[a,2,s0,1]", KNOWN) == ("busiest", "a", "s0")
    assert without_slots("busiest[a,3,s0,4]", KNOWN) == ("busiest", "a", "s0")


def test_the_linearisation_declares_its_letters() -> None:
    from ringyard.formulations.makespan import linearised

    known = letters(linearised.__doc__ or "")
    assert known["capacity"] == ("s", "t")
    assert known["busiest"] == ("j", "s", "t")
    assert find_formulation("linearised").mathematics == linearised.__doc__
