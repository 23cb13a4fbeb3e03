"""Write the page of what is open, and what was found later: ``python docs/records.py``."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from ringyard.instances.catalogue import Entry, edition, entries

PAGE = Path(__file__).parent / "studies/records.md"

TEXT = """# Records: what is open, and what was found later

Edition {number} of [the catalogue](../reference/catalogue.md) has {all} instances: of {proved} the
best known value is proved, {open} are open. An edition always means the same problems. The SHA-256
of its names and their digests, a line each (`NAME DIGEST`), is `{digest}`.

To send in a better schedule or bound, see [the
catalogue](../reference/catalogue.md#improve-a-record).

## Open

Instances with the largest gaps come first.

| instance | family | best known | by | bound | by | gap |
|---|---|--:|---|--:|---|--:|
{opens}

## Found later

Values and bounds that took the place of one of an earlier day.

| day | instance | | before | now | by |
|---|---|---|--:|--:|---|
{later}
"""


def page() -> str:
    """Return the page, from the index of the catalogue."""
    known = [entry for entry in entries().values() if entry.kind != "broken"]
    still = [entry for entry in known if not entry.closed]
    number, digest = edition()
    return TEXT.format(
        number=number,
        digest=digest,
        all=len(known),
        proved=len(known) - len(still),
        open=len(still),
        opens="\n".join(map(shown, sorted(still, key=lambda entry: (-width(entry), entry.name)))),
        later="\n".join(sorted(later(known), reverse=True)),
    )


def width(entry: Entry) -> float:
    """Return the gap; 1 where a value or a bound is not known."""
    return 1.0 if entry.gap is None else float(entry.gap)


def shown(entry: Entry) -> str:
    """Return the line of an open instance."""
    ends = [
        f"{float(side[0].value):.6g} | {side[0].method}" if side else "- | -"
        for side in (entry.upper, entry.lower)
    ]
    apart = "-" if entry.gap is None else f"{float(entry.gap):.2%}"
    return f"| `{entry.name}` | {entry.kind} | {' | '.join(ends)} | {apart} |"


def later(known: Iterable[Entry]) -> Iterator[str]:
    """Yield a line for each record that took the place of one of an earlier day."""
    for entry in known:
        for side, what in ((entry.upper, "value"), (entry.lower, "bound")):
            for new, old in pairwise(side):
                if new.date > old.date:
                    ends = f"{float(old.value):.6g} | {float(new.value):.6g}"
                    yield f"| {new.date} | `{entry.name}` | {what} | {ends} | {new.method} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
