"""Adapters of solvers: each one converts a program to the solver's form, and returns its claims.

Importing this room loads no solver. Each adapter imports its own at its first use. `solver.py`
defines an adapter, and `ADAPTERS` in `formulations/solver_interface/solve.py` lists them.
"""
