"""The judge of `online` schedules: exact, from the raw data alone."""
