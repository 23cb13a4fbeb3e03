"""What is usual of a policy that ranks jobs."""

from ...simulation.trace import NONE, TraceSetting


class Rule:
    """Stops whoever is worse for whoever is better, and lets small jobs past large ones."""

    information = NONE
    preempts = True
    blocks = False
    starts = False
    wakes = False

    def begin(self, setting: TraceSetting) -> None:
        """Nothing has to be known of the cluster."""
