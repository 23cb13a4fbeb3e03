"""Schedulers of the family `fleet`: leases, and the GPUs of each job over time."""
