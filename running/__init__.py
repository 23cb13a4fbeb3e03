"""Parts of the runner, `run.py`: refusals, the answer, and the choice of an answer."""
