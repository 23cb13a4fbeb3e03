"""The folder of an evaluation: its result, schedules, charts, and where the method loses most."""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from ..analysis.drawing.svg import to_svg
from ..analysis.gantt import gantt_picture
from ..instances.reading.encode import as_number
from ..instances.reading.files import to_bytes
from ..instances.writing import write_whole
from .bench import Judged
from .score import Evaluation

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
svg {{ width: 100%; height: auto; border: 1px solid #ddd; }}
</style>
<h1>{title}</h1>
{parts}
"""


def result_text(found: Evaluation) -> str:
    """Return the result as the text of a file."""
    return json.dumps(found.to_dict(), indent=2) + "\n"


def write_artefacts(found: Evaluation, folder: Path) -> None:
    """Write the folder, which is made if there is none; what has the same name is replaced."""
    for part in ("schedules", "charts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_whole(folder / "result.json", result_text(found).encode())
    for index, run in enumerate(found.runs):
        name = found.instances[index].name
        if run.valid:
            plan = folder / "schedules" / f"{name}.json"
            write_whole(plan, to_bytes(run.schedule, plan))
        if (picture := _chart(found, index, run)) is not None:
            write_whole(folder / "charts" / f"{name}.svg", to_svg(picture).encode())
    write_whole(folder / "worst.html", _worst(found).encode())


def _chart(found: Evaluation, index: int, run: Judged) -> Any:
    """Return the chart of a run, if it gave a schedule and there are charts of such."""
    if not run.valid or found.family.chart is None:
        return None
    bound = found.bounds[index].value
    return gantt_picture(found.instances[index], run.schedule, run.verdict, bound)


def _worst(found: Evaluation) -> str:
    """Return the page of the instance on which the method loses most."""
    index = found.worst()
    best, instance = found.best(index), found.instances[index]
    behind = found.behind(index)
    apart = "" if behind is None else f", {100 * behind:+.2f} % from the best baseline"
    title = f"{instance.name}: {found.method.name}{apart}"
    named = [(found.method.name, found.runs[index]), *([best] if best else [])]
    parts = [f"<p>{escape(instance.title)}</p>"]
    parts += [line for name, run in named for line in _part(found, index, name, run)]
    return PAGE.format(title=escape(title), parts="\n".join(parts))


def _part(found: Evaluation, index: int, name: str, run: Judged) -> Iterator[str]:
    value = "-" if run.value is None else found.family.valued(f"{as_number(run.value):g}")
    said = "; ".join((run.status, f"{found.family.objective} {value}", *run.remarks))
    yield f"<h2>{escape(name)}</h2>\n<p>{escape(said)}</p>"
    picture = _chart(found, index, run)
    if picture is not None:
        yield to_svg(picture, embedded=True)
