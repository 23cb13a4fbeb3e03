"""No file of the repository knows the machine it was written on, or where packages come from."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP_FOLDERS = "|".join(["work", "root", "home", "Users"])
INSIDE = "|".join(["localhost", r"\d+\.\d+\.\d+\.\d+", r"[\w.-]+\.(?:internal|local|lan)"])
FORBIDDEN = {
    "a path of one machine": re.compile(rf"(?<![\w./*{{}}>-])/(?:{TOP_FOLDERS})/"),
    "a file address": re.compile(r"\bfile:" r"//"),
    "a host of one network": re.compile(rf"\bhttps?://(?:{INSIDE})\b"),
    "a port or a login in an address": re.compile(r"\bhttps?://[^/\s\"'<>)\]]*[:@]"),
    "a package index": re.compile(r"--(?:extra-)?index" r"-url|--find" r"-links"),
}


def tracked_files() -> list[str]:
    """Return the files that git tracks or would."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]


def findings(text: str) -> list[str]:
    """Return what `text` holds that it should not, with the line."""
    known = {what: pattern for what, pattern in FORBIDDEN.items() if pattern.search(text)}
    return [
        f"{number}: {what}: {line.strip()[:80]}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in known.items()
        if pattern.search(line)
    ]


def test_no_tracked_file_names_a_machine() -> None:
    found = []
    for name in tracked_files():
        content = (ROOT / name).read_bytes()
        if b"\0" not in content[:1024] and content[:2] != b"\x1f\x8b":
            found += [f"{name}:{line}" for line in findings(content.decode(errors="replace"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "cd /{}/somebody".format("home"),
        "open('/{}/main/x.json')".format("work"),
        "pip install --index-" + "url=https://example.org",
        "http://" + "10.0.0.3/packages",
        "https://" + "example.org:8080/x",
        "https://" + "name:secret@example.org/x",
        "file:" + "///tmp/wheels",
    ],
)
def test_a_trace_of_a_machine_is_noticed(text: str) -> None:
    assert findings(text)


@pytest.mark.parametrize(
    "text",
    [
        "see https://arxiv.org/abs/2207.07817",
        "http://www.apache.org/licenses/",
        "`docs/work" + "/page.md` and out/home/x",
        '<svg xmlns="http://www.w3.org/2000/svg">',
    ],
)
def test_public_links_and_relative_paths_are_fine(text: str) -> None:
    assert not findings(text)
