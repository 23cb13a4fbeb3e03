"""Scores of methods that are not trusted, on instances that they have not seen."""
