"""Schedules over time as data, a file for each family: who holds what from when to when.

One timeline is read by two: the chart (`gantt/`) lays it out, and the page of a campaign
(`report/`) writes its `lives` as JSON.
"""

from .lives import Bar, Life, Lives, Moment, RateSpan
from .timeline import Holding, Holdings, JobHolder, Timeline

__all__ = [
    "Bar",
    "Holding",
    "Holdings",
    "JobHolder",
    "Life",
    "Lives",
    "Moment",
    "RateSpan",
    "Timeline",
]
