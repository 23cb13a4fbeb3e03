"""What the runner, `run.py`, is made of: refusals, the answer, and the choice of an answer."""
