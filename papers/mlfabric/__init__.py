"""The experiments of MLfabric."""
