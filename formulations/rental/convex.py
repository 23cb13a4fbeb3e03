"""The convex program of BOA, for conic solvers only: CVXPY states and solves it."""

from ..adapters.rental_cvxpy import Convex, Form, solve_convex

__all__ = ["Convex", "Form", "solve_convex"]
