"""Simulated annealing: orders of jobs under placement rules, or jobs over nested blocks."""
