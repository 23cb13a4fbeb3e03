"""Schedules over time as data, a file for each family: who holds what from when to when.

One timeline is read by two: the chart (`gantt/`) lays it out, and the page of a campaign
(`report/`) writes its `lives` as JSON.
"""

from .lives import Bar, Life, Lives, Moment, Span
from .timeline import Holder, Holding, Holdings, Timeline

__all__ = ["Bar", "Holder", "Holding", "Holdings", "Life", "Lives", "Moment", "Span", "Timeline"]
