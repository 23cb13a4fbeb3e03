"""Policies of the `transfers` family."""
