"""Policies: the schedulers of papers and their baselines."""
