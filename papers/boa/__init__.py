"""The experiments of BOA."""
