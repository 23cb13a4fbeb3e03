"""Simulation of jobs that arrive, run, pause and resume."""

from .policy_run import Service
from .simulate import TraceResult, simulate
from .views import (
    DISTRIBUTION,
    ESTIMATES,
    FULL,
    NONE,
    PREDICTED,
    ClusterView,
    EstimatedJobView,
    GrantedGpus,
    JobView,
    KnownJobView,
    LiveJobs,
    PredictedJobView,
    Rank,
    Ranker,
    TraceDecider,
    TraceSetting,
)

__all__ = [
    "DISTRIBUTION",
    "ESTIMATES",
    "FULL",
    "NONE",
    "PREDICTED",
    "ClusterView",
    "EstimatedJobView",
    "GrantedGpus",
    "JobView",
    "KnownJobView",
    "LiveJobs",
    "PredictedJobView",
    "Rank",
    "Ranker",
    "Service",
    "TraceDecider",
    "TraceResult",
    "TraceSetting",
    "simulate",
]
