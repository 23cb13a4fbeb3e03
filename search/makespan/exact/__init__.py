"""Exact methods: enumeration, branch and bound, and CP-SAT."""
