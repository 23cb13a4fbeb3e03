"""The experiments of SJF-BCO (arXiv 2207.07817)."""
