"""Rules of `transfers`: each returns before what no plan has its updates applied."""

from .chains import chains
from .hops import alone, least_left, mean_moments

RULES = {
    "alone": alone,
    "least left": least_left,
    "mean moments": mean_moments,
    "chains": chains,
}
"""By name: what follows from an instance and a step."""
