"""The experiments of PD-ORS."""
