"""The judge of `trace` schedules: exact, from the raw data alone."""
