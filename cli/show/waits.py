"""Output of `ringyard solve` for traces: waits, also by group and size for an imported log."""

from typing import TYPE_CHECKING

from ...instances.errors import visible
from ..shared.output import say, show_table

if TYPE_CHECKING:
    from ...analysis.check.trace import TraceVerdict
    from ...instances import TraceInstance


def show_waits(instance: "TraceInstance", verdict: "TraceVerdict") -> None:
    """Print the waits of all jobs, and a table of parts if the jobs come from a log."""
    from ...analysis.trace import metrics_of
    from ...analysis.trace.parts import longest_wait, metrics_by, part_table, time_texts

    found = metrics_by(instance, verdict)
    every = found[0]
    names = ("mean", "median", "p95", "p99")
    waits = time_texts([getattr(every, f"{name}_wait_s") for name in names])
    said = (f"{name} {wait}" for name, wait in zip(names, waits, strict=True))
    say(f"  wait      {', '.join(said)}")
    metrics = metrics_of(instance, verdict)
    if metrics.group_fairness is not None:
        index = float(metrics.group_fairness)
        say(f"  groups    Jain's index of GPU-time over shares {index:.3f}, while jobs arrive")
    if any(job.group or job.waited_s is not None for job in instance.jobs):
        say()
        show_table(part_table(found, f"Waits in {instance.title or instance.name}"))
    if longest := longest_wait(found):
        say(f"Group {visible(longest[0].name)} waits longest: {longest[1]}.")
