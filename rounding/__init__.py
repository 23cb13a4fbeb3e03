"""Round fractional points to whole ones, with the guarantees of the theorems."""
