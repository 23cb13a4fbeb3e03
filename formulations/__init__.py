"""Mathematical programs of the papers, and what solvers return for them.

One file per program, with `build`, `write`, `read` and `refuses`; `solve.py` is the interface to
solvers. Importing this room loads no solver.
"""
