"""Schedulers of jobs that arrive over time, whose lengths may be unknown."""
