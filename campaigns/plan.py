"""Campaign files, some of which come with Ringyard: which methods on which instances; the runs."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..instances.errors import InputError, Problem, Words, unknown
from ..instances.reading.decode import INVALID, Decoder, read_text, real
from ..instances.reading.vocabulary import Shape
from ..methods import twins
from .campaign_file import CampaignFile, CampaignPart
from .part import PartReader
from .runs import BOUND, Run

FILES = Path(__file__).parent / "files"


def named_campaigns() -> dict[str, Path]:
    """Return the files by name."""
    return {path.stem: path for path in sorted(FILES.glob("*.toml"))}


def about(path: Path) -> str:
    """Return what a campaign is to find out."""
    return str(tomllib.loads(path.read_text(encoding="utf-8"))["about"])


def find_campaign(what: str) -> Path:
    """Return the file of a named campaign, or the path of any other."""
    known = named_campaigns()
    path = known.get(what, Path(what))
    if path.suffix or path.exists():
        return path
    expected = f"a campaign file, or one of {', '.join(known)}"
    hint = "see `ringyard list campaigns`"
    raise InputError("ringyard run", [unknown("CAMPAIGN", what, known, hint, expected)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A campaign, ready to run."""

    name: str
    text: str
    runs: tuple[Run, ...]


def read_plan(path: Path, *, certificates: bool = False) -> Plan:
    """Read a campaign file; raise `InputError` with what is wrong in it.

    With `certificates` they are asked for where the file does not say.
    """
    text = read_text(path)
    try:
        content = tomllib.loads(text, parse_float=real)
    except (ValueError, RecursionError) as error:
        expected, advice = "a campaign file in TOML", "see docs/campaigns/campaigns.md"
        raise InputError.of(str(path), "file", Words(str(error)), expected, advice) from None
    file = _decoded(_without_nodes(content, str(path)), str(path))
    if certificates and file.certificates is None:
        file = replace(file, certificates="checked")
    if "/" in file.name or file.name.startswith("."):
        problem = Problem("name", file.name, "no / and no . in front", "it names a folder")
        raise InputError(str(path), [problem])
    runs = _runs(path, file)
    if problems := twins("methods", ((run.method, run.asked) for run in runs)):
        raise InputError(str(path), problems)
    unique = {run.key: run for run in runs}
    return Plan(name=file.name, text=text, runs=tuple(unique.values()))


def _runs(path: Path, file: CampaignFile) -> list[Run]:
    """Return the runs of all parts."""
    found = list[Run]()
    for i, part in enumerate(_parts(file)):
        found += PartReader(path, f"part {i}" if i else "file", part).runs()
    return found


def _without_nodes(content: dict[str, Any], source: str) -> dict[str, Any]:
    """Return a file with its nodes, an old key, as parts; raise `InputError` if some need others.

    A node of type `solve` is a part, one of type `bound` a part whose only method is `bound`.
    """
    if "nodes" not in content:
        return content
    nodes = content["nodes"]
    if "parts" in content or not isinstance(nodes, list) or not all(map(_stands_alone, nodes)):
        found = Words("a program of several steps")
        expected = "nodes of type 'solve' or 'bound' that need no others, and no parts"
        advice = "write the steps as a script: docs/campaigns/graphs.md"
        raise InputError(source, [Problem("nodes", found, expected, advice)])
    parts = [
        {name: value for name, value in node.items() if name not in ("name", "type")}
        | ({"methods": [BOUND]} if node["type"] == "bound" else {})
        for node in nodes
    ]
    return {name: value for name, value in content.items() if name != "nodes"} | {"parts": parts}


def _stands_alone(node: Any) -> bool:
    """Return True if a node only asks for runs, whatever comes of others."""
    if not isinstance(node, dict) or node.get("type") not in ("solve", "bound"):
        return False
    return not node.keys() & {"needs", "starts", "may_fail"}


def _decoded(content: dict[str, Any], source: str) -> CampaignFile:
    decoder = Decoder()
    file: CampaignFile = decoder.value(Shape("object", noun=CampaignFile), content, "")
    if decoder.problems or file is INVALID:
        raise InputError(source, decoder.problems, decoder.more)
    return file


def _parts(file: CampaignFile) -> list[CampaignPart]:
    """Return the parts with what they take from the top."""
    fields = list(CampaignPart.__dataclass_fields__)
    top = CampaignPart(**{name: getattr(file, name) for name in fields})
    if not file.parts:
        return [top]
    given = [
        {name: getattr(part, name) for name in fields if getattr(part, name) is not None}
        for part in file.parts
    ]
    return [replace(top, **some) for some in given]
