"""The history of the corpus: lines in any order, and what answers add to it."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from ringyard.engines.kept import kept_rows
from ringyard.engines.learn import Answer, learned
from ringyard.engines.verdicts import known_optima, maker
from ringyard.formulations.corpus.history import (
    HistoryLine,
    close,
    history,
    history_of,
    known_of,
    line_text,
)
from ringyard.formulations.corpus.index import CorpusEntry, beyond, corpus, with_history
from ringyard.formulations.program import Matrix
from ringyard.instances import SolutionStatus

DAY = "2026-01-02"
PROGRAM = Matrix(
    columns=("x",),
    rows=("least",),
    cost=np.array([2.0]),
    lower=np.array([0.0]),
    upper=np.array([9.0]),
    integer=np.array([True]),
    a=csr_array(np.array([[1.0]])),
    row_lower=np.array([2.5]),
    row_upper=np.array([np.inf]),
)
"""Its optimum is 6, at 3."""

ENTRY = CorpusEntry(
    name="hand-contend.linearised.h7",
    family="makespan",
    kind="MILP",
    columns=1,
    rows=1,
    nonzeros=1,
    integers=1,
    smallest=1,
    largest=1,
    digest="d" * 64,
)


def line(side: Any, value: float | None, by: str = "", **more: Any) -> HistoryLine:
    about = {"program": ENTRY.name, "digest": "d" * 16, "date": DAY}
    return HistoryLine(**about, side=side, value=value, by=by, **more)


def answer(by: str, status: str, x: float | None = None, **more: Any) -> Answer:
    point = None if x is None else np.array([x])
    about = {"by": by, "version": "1", "date": DAY, "status": SolutionStatus(status)}
    return Answer(**about, point=point, **more)


def test_lines_in_any_order_say_the_same() -> None:
    lines = [
        line("point", 8.0, "highs"),
        line("point", 6.0, "scip"),
        line("proof", 8.0, "highs"),
        line("proof", 6.0, "cbc"),
        line("bound", 5.0, certificate="dual"),
    ]
    found = {known_of(some) for some in permutations(lines)}
    assert found == {(6.0, 0.0, "scip", 5.0, "dual", ("cbc",))}


def test_lines_of_a_program_that_changed_say_nothing() -> None:
    other = replace(line("point", 6.0, "scip"), digest="e" * 16)
    assert with_history(ENTRY, [other]).value is None


def test_a_line_comes_back_from_its_text() -> None:
    lines = [one for some in history().values() for one in some]
    text = "\n".join(map(line_text, lines))
    assert [one for some in history_of(text).values() for one in some] == lines


def test_a_better_point_and_its_proofs_are_learned_once() -> None:
    answers = [
        answer("highs", "optimal", 3),
        answer("scip", "optimal", 3),
        answer("cbc", "feasible", 4),
    ]
    for order in permutations(answers):
        found = learned(ENTRY, [line("point", 8.0)], PROGRAM, order)
        assert [(one.side, one.value, one.by) for one in found.lines] == [
            ("point", 6.0, "highs"),
            ("proof", 6.0, "highs"),
            ("proof", 6.0, "scip"),
        ]
        assert found.contradictions == []
        assert found.point == [3]
        assert learned(ENTRY, found.lines, PROGRAM, order) == ([], [], None)


@pytest.mark.parametrize("x", [2.0, 3.5, 10.0])
def test_a_point_that_does_not_hold_is_not_learned(x: float) -> None:
    assert learned(ENTRY, [], PROGRAM, [answer("highs", "optimal", x)]).lines == []


POINT, BOUND = line("point", 6.0), line("bound", 7.0, certificate="dual")


@pytest.mark.parametrize(
    ("said", "known", "words"),
    [
        (answer("highs", "optimal", 4), POINT, "claims the optimum 8, not the optimum 6"),
        (answer("highs", "infeasible"), POINT, "claims that there is no point"),
        (answer("highs", "optimal", 3), BOUND, "below the certified 7"),
    ],
)
def test_what_contradicts_what_is_known_is_named_and_not_learned(
    said: Answer, known: HistoryLine, words: str
) -> None:
    found = learned(ENTRY, [known], PROGRAM, [said])
    assert [one.side for one in found.lines if one.side == "point"] == []
    assert words in found.contradictions[0]


def test_a_value_of_a_linear_program_that_is_5_millionths_off_proves_and_contradicts_nothing() -> (
    None
):
    said = answer("cbc", "optimal", value=6 * (1 + 5e-6))
    assert learned(replace(ENTRY, kind="LP"), [POINT], None, [said]) == ([], [], None)
    assert learned(ENTRY, [POINT], None, [said]).contradictions


def test_a_third_code_adds_nothing_nor_does_a_second_setting_of_one() -> None:
    lines = [line("point", 6.0, "highs"), line("proof", 6.0, "scip")]
    again = [answer("scip-no-presolve", "optimal", 3)]
    assert learned(ENTRY, lines, PROGRAM, again) == ([], [], None)
    two = [*lines, line("proof", 6.0, "cbc")]
    assert learned(ENTRY, two, PROGRAM, [answer("highs", "optimal", 3)]) == ([], [], None)


def test_no_kept_row_beats_the_index_nor_settles_what_it_calls_open() -> None:
    rows = kept_rows()
    for row in rows:
        entry = corpus()[row["instance"]]
        if row["valid"] and entry.kind != "conic":
            assert entry.value is not None, (entry.name, row["method"])
            assert not beyond(entry.value, row["objective"]), (entry.name, row["method"])
    for name, known in known_optima(rows, corpus()).items():
        if len({maker(prover) for prover in known.provers}) > 1:
            assert corpus()[name].optimum != "open", name


def test_no_program_is_in_the_corpus_twice() -> None:
    digests = [entry.digest for entry in corpus().values()]
    assert len(digests) == len(set(digests))


def test_no_value_of_an_exact_program_lies_below_a_bound_of_its_siblings() -> None:
    from ringyard.formulations.corpus.build import states_schedules

    exact = [one for one in corpus().values() if states_schedules(one.recipe)]
    for one in exact:
        for other in exact:
            same = one.recipe.instance == other.recipe.instance and one.family == "makespan"
            if same and one.value is not None and other.bound is not None:
                assert other.bound <= one.value or close(other.bound, one.value)
