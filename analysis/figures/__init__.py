"""Figures of a campaign: each kind turns rows into a `Panel` of the kit in `charts/`."""
