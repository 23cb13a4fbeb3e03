"""How is it said in algebra, and what does algebra give back? The programs of the papers.

One file per program, with `build`, `write`, `read` and `refuses`; `solve.py` is the interface to
solvers. Importing this room loads no solver.
"""
