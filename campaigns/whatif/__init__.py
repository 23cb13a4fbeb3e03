"""One workload replayed: other policies, other clusters, other loads, other networks."""
