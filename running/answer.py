"""A checked answer to an instance: what it holds, what it is called, how it is shown."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..analysis.check import AnyVerdict
from ..analysis.display import answer_html, answer_lines
from ..families import Family, family_of
from ..instances import Bound, Instance, Outcome, SolutionStatus, TerminationReason, digest
from ..instances.frames import Backend, frame
from ..instances.reading.encode import as_number
from ..methods import Method
from ..version import __version__

Step = tuple[float, float, float]
"""A better schedule on the way: seconds since the start, its value, and the bound by then."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A checked answer: the schedule with its exact claims, the verdict, the bound."""

    instance: Instance
    method: Method
    seed: int
    outcome: Outcome
    """What the method handed back, without claims: why it stopped, what it left."""
    schedule: Any
    """The best valid one that it told of, of the family's type; None if there is none."""
    verdict: AnyVerdict | None
    """What the judge says of it: every violation, and what it is worth."""
    bound: Bound
    """The best proved bound: lower, or upper where the objective is to be large."""
    seconds: float
    """Time of the method."""
    trajectory: tuple[Step, ...] = ()
    """Of every better schedule on the way: the seconds, its value, the bound by then."""
    phases: tuple[tuple[str, float], ...] = ()
    """Seconds of the first bound and of the judge."""
    rejection: str = ""
    """What was wrong with the method's own schedule, if another one is handed on instead."""
    claim: Outcome | None = None
    """What a method of yours handed back, if it claims more than is proved."""

    @property
    def family(self) -> Family:
        """The problem family of the instance."""
        return family_of(self.instance)

    @property
    def objective(self) -> Fraction | None:
        """The makespan, or the utility, as the judge computed it."""
        return self.verdict.objective if self.verdict else None

    @property
    def valid(self) -> bool:
        """Whether there is a schedule and the judge found nothing wrong with it."""
        return self.verdict is not None and self.verdict.valid

    @property
    def claimed_bound(self) -> Fraction | None:
        """The bound that a method of yours claims, if it is tighter than the proved one."""
        return self.claim.bound.value if self.claim and self.claim.bound else None

    @property
    def gap(self) -> Fraction | None:
        """How far the objective is from the bound, as a part of the larger of both."""
        if self.objective is None or not self.valid:
            return None
        return self.family.gap(self.objective, self.bound.value)

    @property
    def status(self) -> str:
        """One of optimal, feasible, infeasible, unknown, error."""
        if self.verdict is None:
            return "infeasible" if self.outcome.status is SolutionStatus.INFEASIBLE else "unknown"
        if not self.valid:
            return "error"
        if self.objective is None:
            return "feasible"
        behind = abs(self.objective - self.bound.value)
        return "optimal" if behind <= self.family.rounding(self.instance) else "feasible"

    @property
    def conclusion(self) -> str:
        """Its status with why the method stopped; of an optimum, who can check the bound."""
        stop = self.outcome.termination.value.replace("_", " ")
        if self.status != "optimal":
            return f"{self.status} ({stop})"
        ended = "" if self.outcome.termination is TerminationReason.DONE else f", {stop}"
        return f"optimal ({self.bound.evidence}{ended})"

    def __repr__(self) -> str:
        """Say in three lines what it is, how good, and whether it was checked."""
        return "\n".join(answer_lines(self))

    def _repr_html_(self) -> str:
        """Show the same in a notebook, above the schedule over time."""
        return answer_html(self)

    def row(self) -> dict[str, Any]:
        """Return the flat record that `ringyard solve --json` prints."""
        return {
            "instance": self.instance.name,
            "digest": digest(self.instance),
            "method": self.method.name,
            "seed": self.seed,
            "status": self.status,
            "termination": self.outcome.termination.value,
            "sense": self.family.sense,
            "objective": as_number(self.objective),
            "bound": as_number(self.bound.value),
            "bound_kind": self.bound.kind.value,
            "claimed_bound": as_number(self.claimed_bound),
            "gap": None if self.gap is None else float(self.gap),
            "seconds": round(self.seconds, 6),
            "nodes": self.outcome.nodes,
            "valid": self.valid,
            "violations": violation_rows(self.verdict) if self.verdict else [],
            "note": "; ".join(filter(None, (self.rejection, self.outcome.note))),
            "version": __version__,
        }

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the record as a data frame of one row; frames of several are put together.

        `backend` is "pandas" or "polars"; without it the first of them that is installed.
        """
        row = self.row()
        return frame([{**row, "violations": len(row["violations"])}], list(row), backend)


def violation_rows(verdict: AnyVerdict) -> list[dict[str, Any]]:
    """Return the violations of a verdict as plain rows."""
    return [
        {"rule": v.rule, "where": v.where, "amount": as_number(v.amount)}
        for v in verdict.violations
    ]
