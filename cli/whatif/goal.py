"""`ringyard whatif --goal`: the fewest servers that reach a goal."""

from collections.abc import Callable
from pathlib import Path

from ...analysis.report import Findings
from ...analysis.rows import Row
from ...analysis.whatif.goal import GOAL_AXES, axes_of, goal_panel, goal_sentence, goal_table
from ...campaigns.reproductions import Results
from ...campaigns.runs import Run
from ...campaigns.store import Store
from ...campaigns.whatif.goal import GoalSearch
from ..shared.output import emit, note, say, show_table
from .replays import WIDTH, Question, driven_runs, method_notes, write_findings


def goal_command(
    search: GoalSearch,
    folder: Path,
    workers: int | None,
    html: Path | None,
    words: str,
    *,
    json: bool,
) -> int:
    """Search the smallest cluster that reaches a goal, and print it. `words` are the question."""
    setting, contradictions, stores = search.setting, list[str](), list[Store]()
    last = [("", list[Run]())]

    def rows(text: str, runs: list[Run]) -> Callable[[Run], Row] | int:
        driven = driven_runs(text, runs, folder, workers)
        if isinstance(driven, int):
            return driven
        stores[:], last[:] = [driven[0]], [(text, runs)]
        contradictions[:] = driven[1].contradictions
        return driven[0].row

    code = search.run(rows)
    if code is not None:
        return code
    [store], [(text, runs)] = stores, last
    answers, goal = search.answers(), search.goal
    done = [store.row(run) for run in runs]
    remarks = [*setting.remarks, *search.remarks, *method_notes(done)]
    axes = axes_of(answers, GOAL_AXES)
    told = tuple(goal_sentence(goal, one, search.gpus, axes) for one in answers)
    said = (*([setting.left_out] if setting.left_out else []), *told)
    every, short = (goal_table(goal, answers, setting.title, every=all_) for all_ in (True, False))
    findings = Findings(
        title="What if",
        sentences=(*remarks, *said),
        picture=goal_panel(goal, answers, axes),
        tables=(every,),
    )
    results = Results(tables={"goal": every}, statements=said)
    write_findings(results, findings, store, done, Question(words, text), html, every.caption)
    for remark in [*remarks, *contradictions]:
        note(f"note: {remark}")
    if json:
        plain = {"goal": goal.text, "column": goal.column, "limit": goal.limit}
        found = [{**one.plain(), "sentence": s} for one, s in zip(answers, told, strict=True)]
        emit(
            {
                "trace": setting.trace.name,
                **plain,
                "server_gpus": search.gpus,
                "answers": found,
                "dropped": setting.dropped,
                "remarks": remarks,
                "folder": str(folder),
            }
        )
    else:
        show_table(short, WIDTH)
        for sentence in said:
            say(f"- {sentence}")
        say(f"all {len(runs)} replays are in {folder}")
    return 1 if contradictions else 0 if all(one.least for one in answers) else 3
