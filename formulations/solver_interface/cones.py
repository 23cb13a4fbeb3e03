"""The interface to solvers of programs in cones: CVXPY states these, and no limit holds."""

from ..adapters.conic_programs import FINE as FINE
from ..adapters.conic_programs import knows as knows
from ..adapters.conic_programs import solve_conic as solve_conic
