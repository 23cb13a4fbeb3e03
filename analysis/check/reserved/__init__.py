"""The judge of `reserved` schedules: exact, from the raw data alone."""
