"""Schedulers of the family `fleet`: what is leased, and who holds how many GPUs when."""
