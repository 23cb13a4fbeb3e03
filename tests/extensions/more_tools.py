"""What another package may bring beside a solver and a format: one thing of each group."""

from fractions import Fraction

from ringyard import policy
from ringyard.analysis.figures.canvas import finished
from ringyard.analysis.figures.categories import category_figure, over
from ringyard.analysis.guarantees import Guarantee, Hypothesis
from ringyard.analysis.tables import Column, Table
from ringyard.families import Method, Program
from ringyard.formulations.makespan.linearised import build, read, refuses, write  # noqa: F401

AGAIN = Program(
    name="any",
    about="the linearisation, once more",
    source="ours",
    family="makespan",
    module=__name__,
    exact=True,
)
SOLVED = Method(
    name="solved-again",
    about="the linearisation, once more, by HiGHS",
    source="ours",
    kind="program",
    family="makespan",
    module=".search.makespan.programs",
    formulation="again",
    solver="highs",
)


def one_slot(instance, limits):
    """No job ends before its first slot is over."""
    return 1 if instance.jobs else 0


def false_bound(instance):
    """It is false."""
    return 10**6


def _online(instance, options):
    return "jobs arrive" if any(job.release_slot for job in instance.jobs) else None


TWICE = Guarantee(
    name="any",
    statement="2",
    source="hearsay",
    proved=True,
    hypotheses=(Hypothesis(name="all jobs at once", unmet=_online),),
    factor=lambda instance: Fraction(2),
    methods=("list-scheduling",),
)
TOO_GOOD = Guarantee(
    name="any",
    statement="1",
    source="hearsay",
    proved=True,
    hypotheses=(),
    factor=lambda instance: 1,
    methods=("list-scheduling", "more_tools.py:widest"),
)


def ends(rows, sources):
    """Count how runs ended."""
    found = sorted({row["status"] for row in rows})
    counts = [(one, sum(row["status"] == one for row in rows)) for one in found]
    return Table(
        caption="Ends",
        columns=(Column(head="status", digits=None), Column(head="runs")),
        rows=tuple(counts),
    )


def counted(rows, sources):
    """Show how many runs each method has."""
    names = sorted({row["method"] for row in rows})
    counts = [float(sum(row["method"] == one for row in rows)) for one in names]
    figure, [axes] = category_figure("runs by method", ("method", names, "runs"))
    over(axes, "runs", counts, "bars")
    return finished(figure)


def raising(*given):
    """Raise an error, whatever is asked."""
    raise LookupError("no such thing")


def nothing(*given):
    """Give nothing."""


@policy("makespan")
def widest(waiting, idle, reverse: bool = False):
    """The widest ring first."""
    for job in sorted(waiting, key=lambda job: -job.gpus, reverse=reverse):
        pieces = idle.fit(job)
        if pieces:
            yield job, pieces


def raising_bound(instance):
    """Raise an error, whatever is asked."""
    raise LookupError("no such thing")
