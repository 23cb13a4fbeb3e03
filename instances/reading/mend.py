"""Set faulty parts of a file aside, so that the checks across fields still see the rest."""

import re
from typing import Any

from ..errors import Problem


def mended(body: dict[str, Any], about: tuple[str, ...], problems: list[Problem]) -> dict[str, Any]:
    """Replace faulty jobs by a sound one, and faulty descriptions by none.

    A fault in one job says nothing about the others, nor does one in a title; faults
    elsewhere stay, since what is said about the rest could then be wrong.
    """
    out = dict.fromkeys(about, "-") | {k: v for k, v in body.items() if k not in about}
    jobs = body.get("jobs")
    if isinstance(jobs, list):
        faulty = {i for problem in problems for i in _job(problem.path)}
        sound = next((job for i, job in enumerate(jobs) if i not in faulty), None)
        if isinstance(sound, dict):
            out["jobs"] = [
                {**sound, "name": f"stand-in for faulty job {i}"} if i in faulty else job
                for i, job in enumerate(jobs)
            ]
    return out


def beside(found: list[Problem], known: list[Problem]) -> list[Problem]:
    """Return the problems found that are not about the stand-in of a job known as faulty."""
    faulty = {i for problem in known for i in _job(problem.path)}
    return [problem for problem in found if not faulty.intersection(_job(problem.path))]


def _job(path: str) -> list[int]:
    match = re.match(r"jobs\[(\d+)\]", path)
    return [int(match[1])] if match else []
