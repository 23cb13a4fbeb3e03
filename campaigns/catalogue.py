"""Named campaigns: files that come with Ringyard."""

import tomllib
from pathlib import Path

from ..instances.errors import InputError, Problem, nearest

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
    like = nearest(what, list(known))
    advice = f"did you mean {like!r}?" if like else "see `ringyard list campaigns`"
    expected = f"a campaign file, or one of {', '.join(known)}"
    raise InputError("ringyard run", [Problem("CAMPAIGN", what, expected, advice)])
