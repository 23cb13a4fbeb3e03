"""The largest tensor of well-known models, as a part of the model.

Tiresias, table 6, has the sizes; the paper gives no formula for its skew. Here it is the size of
the largest tensor over that of the model.
"""

from ...instances import TraceJob

KNOWN: dict[str, float] = {
    "vgg19": 0.715,
    "vgg16": 0.743,
    "vgg11": 0.773,
    "alexnet": 0.61,
}
"""Models whose largest tensor is more than 14.6 % of them, by name in small letters."""

UNKNOWN = 0.146
"""The most that any other model of the table has."""


def skew_of(job: TraceJob, known: dict[str, float]) -> float:
    """Return a job's own skew, else its model's."""
    if job.skew is not None:
        return float(job.skew)
    name = (job.model or "").lower()
    return known.get(name, KNOWN.get(name, UNKNOWN))
