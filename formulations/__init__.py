"""Mathematical programs of the papers, and the results of solvers.

One file per program, with `build`, `write`, `read` and `refuses`. `solve.py` is the interface to
solvers. Importing this room loads no solver.
"""
