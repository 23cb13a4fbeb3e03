"""One file per solver: a program goes in, what the solver claims comes out.

Importing this room loads no solver; each adapter imports its own where it uses it. `solver.py` says
what an adapter is; `ADAPTERS` in `formulations/solver_interface/solve.py` lists them.
"""
