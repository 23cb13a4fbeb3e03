"""`ringyard check`: judge one schedule or certificate, or every schedule of a campaign."""

from functools import lru_cache
from os.path import isdir
from pathlib import Path
from typing import Any

from ..analysis.check import AnyVerdict, check
from ..analysis.check.certificates.checking import check_certificate
from ..analysis.check.certificates.reading import Certificate, is_certificate, read_certificate
from ..families import family_of
from ..instances import AnySchedule, InputError, Instance, digest
from ..instances.catalogue import best_schedule, load
from ..instances.errors import Problem, Words, plural, visible
from ..instances.reading.decode import read_text
from ..instances.reading.files import SCHEDULES, parse
from .shared.campaign import report_left_out
from .shared.options import AsJson
from .shared.output import emit, say
from .shared.progress import counting
from .shared.verdicts import certificate_row, met, print_certificate, print_verdict, verdict_row


def check_folder(folder: Path, *, json: bool) -> int:
    """Judge the schedules of a campaign, report rows that no longer hold, return the exit code.

    A row holds if it is unaltered, agrees with the judge on its instance and schedule, and no
    bound contradicts its value.
    """
    from ..analysis.rows import ACCEPTED
    from ..analysis.sources import Sources
    from ..analysis.stats.references import contradictions
    from ..campaigns.perform import certificate_problems, schedule_problems, title
    from ..campaigns.store import existing

    store = existing(folder)
    left_out, rows = store.left_out(), store.rows()
    sources = Sources(instance=lru_cache(maxsize=8)(store.instance), schedule=store.schedule)
    broken, holding = list[str](), []
    with counting("schedules judged", len(rows)) as watch:
        for i, row in enumerate(rows):
            problems = [*schedule_problems(row, sources)]
            problems += [f"{title(row)}: {one}" for one in certificate_problems(row, store)]
            broken += problems
            holding += [] if problems else [row]
            if watch is not None:
                watch(i + 1)
    crossed, judged = contradictions(holding), sum(bool(row["schedule"]) for row in rows)
    proofs = sum(row["checked"] == ACCEPTED for row in rows)
    if json:
        emit(
            {
                "folder": str(folder),
                "rows": len(rows),
                "judged": judged,
                "certificates": proofs,
                "left_out": list(left_out.sentences()),
                "broken": broken,
                "contradictions": crossed,
            }
        )
        return int(bool(left_out or broken or crossed))
    report_left_out(store)
    for sentence in [*broken, *crossed]:
        say(sentence)
    wrong = [f"{len(rows) - len(holding):,} no longer hold"] if broken else []
    wrong += [plural(len(crossed), "contradiction")] if crossed else []
    counts = f"{plural(len(rows), 'row')}, {plural(judged, 'schedule')} judged"
    counts += f", {plural(proofs, 'certificate')} checked" if proofs else ""
    say(f"{counts}: {', '.join(wrong) or 'all correct'}")
    return int(bool(left_out or broken or crossed))


def check_command(
    instance: str,
    schedule: Path | None = None,
    certificate: Path | None = None,
    /,
    *,
    epoch: str | None = None,
    json: AsJson = False,
) -> int:
    """Check a schedule against its instance, or a certificate of a bound, or both.

    For a schedule, print each violation with its amount, and the cost. For a certificate, report
    if its claim follows, or the first step that fails. For a campaign folder, judge every
    schedule. The exit code is 1 if a schedule is invalid, a certificate is refused, or a row no
    longer holds.

    Parameters
    ----------
    instance
        A catalogue name, a file, or the folder of a campaign.
    schedule
        A schedule file, a CSV of its runs, or a certificate (default: the best schedule on record).
    certificate
        A certificate from `ringyard bound --certificate`. A schedule that attains it is optimal.
    epoch
        For a CSV of runs: date and time of time 0. The columns start and end then count.
    """
    if schedule is None and isdir(instance):
        return check_folder(Path(instance), json=json)
    problem = load(instance)
    answer, proof = _given(problem, [path for path in (schedule, certificate) if path], epoch)
    row, verdict, accepted, together = dict[str, Any](), None, None, ""
    if answer is not None:
        verdict = check(problem, answer)
        row |= {"made_for": answer.instance} if _is_foreign(problem, answer) else {}
        row |= verdict_row(family_of(problem), verdict)
    if proof is not None:
        accepted = check_certificate(problem, proof, proof.metric)
        row["certificate"] = certificate_row(proof, accepted)
        if verdict is not None and verdict.valid and accepted.accepted:
            value = verdict.objective
            if proof.metric:
                value = family_of(problem).bounded[proof.metric].value(problem, verdict)
            together = met(proof, value)
            row["together"] = together.partition(":")[0].lower()
    if json:
        emit({"instance": problem.name, **row})
    else:
        _say(problem, answer, verdict)
        if proof is not None and accepted is not None:
            print_certificate(problem, proof, accepted)
        if together:
            say(together)
    good = (verdict is None or verdict.valid) and (accepted is None or accepted.accepted)
    return 0 if good and not together.startswith("CONTRADICTION") else 1


def _given(
    problem: Instance, paths: list[Path], epoch: str | None
) -> tuple[AnySchedule | None, Certificate | None]:
    """Return the schedule and certificate in the files, by default the best schedule."""
    answer: AnySchedule | None = None
    proof = None
    tables = [path for path in paths if path.suffix.lower() == ".csv"]
    if epoch is not None and not tables:
        expected = "no value, except for a CSV of runs"
        raise InputError.of("ringyard check", "--epoch", epoch, expected, "leave it out")
    for path in paths:
        if path in tables and answer is None:
            answer = _read_runs(path, problem, epoch)
            continue
        text = read_text(path)
        if is_certificate(text) and proof is None:
            proof = read_certificate(text, str(path))
        elif answer is None:
            answer = parse(text, SCHEDULES, str(path))
        else:
            expected = "a schedule and a certificate"
            problems = [Problem("files", Words("two of the same kind"), expected, "leave one out")]
            raise InputError("ringyard check", problems)
    if paths:
        return answer, proof
    answer = best_schedule(problem.name)
    if answer is None:
        advice = "make one with `ringyard solve --out`"
        raise InputError.of(
            problem.name, "schedule", "no schedule on record", "a schedule file", advice
        )
    return answer, None


def _read_runs(path: Path, problem: Instance, epoch: str | None) -> AnySchedule:
    from ..instances.importers.runs import Clock, read_runs

    return read_runs(path, problem, None if epoch is None else Clock.of(epoch, "ringyard check"))


def _say(problem: Instance, answer: AnySchedule | None, verdict: AnyVerdict | None) -> None:
    if answer is None or verdict is None:
        return
    foreign = _is_foreign(problem, answer)
    if foreign:
        made, here = visible(answer.instance), visible(problem.name)
        if made == here:
            made = f"another {here} (digest {visible(answer.digest)})"
        say(f"made for {made}, not for {here} (digest {digest(problem)})")
        say("check it against the instance that it was made for, or solve this instance")
    print_verdict(family_of(problem), verdict, listed=not foreign)


def _is_foreign(problem: Instance, answer: AnySchedule) -> bool:
    """Return True if a schedule's digest, or else its instance name, is another instance's."""
    if answer.digest:
        return answer.digest != digest(problem)
    return answer.instance != problem.name
