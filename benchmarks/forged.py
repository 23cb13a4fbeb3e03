"""Forge certificates of tiny instances in ways that matter, and have the checker look at them.

    python benchmarks/forged.py [COUNT] [SEED] [--family A,B] [--shard I/N] [--workers N]
        [--log FILE] [--page]

Takes COUNT instances (60) of every family whose best value is known: of the catalogue and random
ones by turns. All their proofs are written, and forged in 200 ways that are drawn. Whatever is
refused is counted by the rule that refused it, and what is accepted as that. Nothing may follow
beyond the best value, and nothing may be raised; else the certificate and its instance go to
out/forged-FAMILY-SEED-INDEX.json, and the exit code is 1. With --log each instance becomes a line
of FILE; a second run skips those that are there. --page puts the counts into
docs/studies/certificates.md, with the date and the machine.
"""

# ruff: noqa: T201

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from traceback import format_exc

sys.path.insert(0, str(Path(__file__).parent))

from by_number import OUT, Row, campaign, reader
from forged_instances import SOURCES, Proved, few_steps, of
from forgeries import FORGERIES, Forger, Lines, forged, numbers
from on_page import show

from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.families import FAMILIES
from ringyard.instances import InputError, Instance
from ringyard.instances.reading.encode import plain

FORGED = 200
"""Of the proofs of an instance."""

READ, REFUSED, CLAIM, ACCEPTED, FALSE = "unreadable", "refused", "claim", "accepted", "false"
"""What becomes of a forgery: among others, a step is refused, or no step reaches the claim."""


def looked(proved: Proved, lines: Lines, side: int) -> tuple[str, str]:
    """Have a certificate checked; return what came of it, and the rule that refused it."""
    text = "\n".join(map(json.dumps, lines))
    try:
        certificate = read_certificate(text, "forged")
    except InputError:
        return READ, ""
    with few_steps():
        verdict = check_certificate(proved.instance, certificate)
    claims = (*verdict.follows, *([certificate.claim] if verdict.accepted else ()))
    if any(side * one > side * proved.best for one in claims):
        return FALSE, ""
    if verdict.refused is None:
        return ACCEPTED, ""
    return REFUSED if verdict.refused.rule else CLAIM, verdict.refused.rule


def examine(kind: str, seed: int, index: int, count: int = FORGED) -> Row:
    """Forge the proofs of an instance; return the counts as a row."""
    proved, other = of(kind, seed, index), of(kind, seed, index + 1)
    family, rng = FAMILIES[kind], Random(f"{kind}/{seed}/{index}")
    own, others = ([_lines(text) for text in one.proofs] for one in (proved, other))
    by = Forger(
        rng=rng,
        best=proved.best,
        side=-1 if family.maximize else 1,
        names=tuple(dict.fromkeys(_names(plain(proved.instance)))),
        rules=tuple(family.proofs or ()),
        own=own,
        others=others,
    )
    counts, faults, slowest = Counter[str](), list[str](), 0.0
    for lines in own:
        if looked(proved, lines, by.side)[0] != ACCEPTED:
            faults.append(f"a true proof is not accepted: {lines[1:]}")
    weights = [4 if numbers(lines) else 1 for lines in own]
    for _ in range(count):
        name, lines = forged(rng.choices(own, weights)[0], by)
        started = time.perf_counter()
        try:
            what, rule = looked(proved, lines, by.side)
        except Exception:
            what, rule = FALSE, "raised"
            faults.append(f"{name}: {format_exc()[-1500:]}")
        slowest = max(slowest, time.perf_counter() - started)
        counts["|".join((name, what, rule))] += 1
        if what == FALSE:
            faults.append(f"{name}: what follows is beyond {proved.best}")
            _keep(proved.instance, lines, f"forged-{kind}-{seed}-{index}.json")
    about = {"family": kind, "seed": seed, "index": index, "name": proved.instance.name}
    about |= {"proofs": len(own), "slowest_s": round(slowest, 3)}
    rules = Counter(step["rule"] for lines in own for step in lines[1:])
    return {**about, "rules": rules, "counts": counts, "faults": faults}


def _lines(text: str) -> Lines:
    return [json.loads(line) for line in text.splitlines()]


def _names(value: object) -> Iterator[str]:
    """Yield what jobs, servers, regions and resources are called in an instance."""
    for key, one in value.items() if isinstance(value, dict) else ():
        if key in ("name", "region") and isinstance(one, str):
            yield one
        elif key in ("capacity", "worker", "server") and isinstance(one, dict):
            yield from one
        else:
            yield from _names(one)
    for one in value if isinstance(value, list) else ():
        yield from _names(one)


def _keep(instance: Instance, lines: Lines, name: str) -> None:
    OUT.mkdir(exist_ok=True)
    kept = {"certificate": lines, "instance": plain(instance)}
    (OUT / name).write_text(json.dumps(kept, default=str), encoding="utf-8")


def tables(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of tables by family, by forgery, and by the rule that refused."""
    every = {row["family"]: Counter[str]() for row in rows}
    for row in rows:
        every[row["family"]].update(row["counts"])
    yield "| family | best value by | instances | proofs | forged | refused | accepted | false |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for kind, counts in every.items():
        own = [row for row in rows if row["family"] == kind]
        proofs = sum(row["proofs"] for row in own)
        yield (
            f"| `{kind}` | {SOURCES[kind].by} | {len(own)} | {proofs} | {counts.total():,} "
            f"| {_cells(counts)} |"
        )
    total = sum(every.values(), Counter[str]())
    proofs = sum(row["proofs"] for row in rows)
    yield f"| all | | {len(rows)} | {proofs} | {total.total():,} | {_cells(total)} |"
    yield ""
    yield "| forgery | forged | unreadable | a step refused | claim refused | accepted | false |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name in FORGERIES:
        some = Counter({key: n for key, n in total.items() if key.split("|")[0] == name})
        each = (f"{_sum(some, what):,}" for what in (READ, REFUSED, CLAIM, ACCEPTED, FALSE))
        yield f"| {name} | {some.total():,} | {' | '.join(each)} |"
    yield ""
    yield "| family | proofs by rule | steps refused by rule |"
    yield "|---|---|---|"
    for kind, counts in every.items():
        rules = Counter[str]()
        for row in rows:
            rules.update(row["rules"] if row["family"] == kind else {})
        by_rule = Counter[str]()
        for key, n in counts.items():
            _, what, rule = key.split("|")
            if what == REFUSED and rule in (FAMILIES[kind].proofs or ()):
                by_rule[rule] += n
        yield f"| `{kind}` | {_listed(rules)} | {_listed(by_rule)} |"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.most_common())


def _sum(counts: Counter[str], *whats: str) -> int:
    return sum(n for key, n in counts.items() if key.split("|")[1] in whats)


def _cells(counts: Counter[str]) -> str:
    columns = (READ, REFUSED, CLAIM), (ACCEPTED,), (FALSE,)
    return " | ".join(f"{_sum(counts, *whats):,}" for whats in columns)


def main() -> int:
    """Run a campaign; return 1 if anything is wrong."""
    parser = reader(__doc__, 60)
    parser.add_argument("--family", default=",".join(SOURCES))
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    looks = {kind: partial(examine, kind) for kind in options.family.split(",")}
    rows = campaign(options, looks)
    rows.sort(key=lambda row: (list(SOURCES).index(row["family"]), row["index"]))
    show(tables(rows), "certificates", "attacked", page=options.page)
    slowest = max((row["slowest_s"] for row in rows), default=0)
    print(f"\nthe slowest check took {slowest} s")
    return int(any(row["faults"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
