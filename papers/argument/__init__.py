"""The argument of SJF-BCO step by step: its example, its reformulation, its approximation."""
