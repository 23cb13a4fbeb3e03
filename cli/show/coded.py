"""What `ringyard show` says of a `coded` instance."""

from ...analysis.coded.limits import limit_of
from ...instances import Bimodal, CodedInstance, ParetoTime, ShiftedExponential, TaskTime
from ...instances.errors import plural
from ..shared.output import say


def show_coded(problem: CodedInstance, _: int = 0) -> None:
    """Print the workers, the law of their times, and what is best for very many of them."""
    rows = "any number of parts divides the rows"
    if problem.rows is not None:
        rows = f"{plural(problem.rows, 'row')}, filled up so that all parts are alike"
    say(f"workers: {problem.workers:,}; {rows}")
    say(f"  alone with all rows, a worker takes {law_text(problem.time)}")
    limit = limit_of(problem.time)
    say(f"for very many (n) the best code has {limit.parts:.4g} n parts and takes")
    say(f"  {limit.scaled_s:.6g}/n s; its gain over uncoded parts {limit.gain}")


def law_text(law: TaskTime) -> str:
    """Say what a law is."""
    if isinstance(law, ShiftedExponential):
        rate = f"an exponential time of rate {law.rate_per_s:f} a second"
        return f"{law.least_s:f} s and {rate}"
    if isinstance(law, ParetoTime):
        return f"more than t s with chance ({law.least_s:f}/t)^{law.tail:f}"
    if isinstance(law, Bimodal):
        return f"{law.fast_s:f} s, or {law.slow_s:f} s with chance {law.slow:f}"
    low, high = min(law.times_s), max(law.times_s)
    return f"one of {len(law.times_s)} measured times, from {low:f} to {high:f} s"
