"""Schedulers of the family `online`, and the fast exact solver of one slot's program."""
