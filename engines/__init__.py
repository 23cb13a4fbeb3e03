"""Engines on programs: who is asked what, which answers are believed, and their comparison."""
