"""The convex program of BOA, which only a conic solver takes: CVXPY states and solves it."""

from ..adapters.rental_cvxpy import Convex, Form, solve_convex

__all__ = ["Convex", "Form", "solve_convex"]
