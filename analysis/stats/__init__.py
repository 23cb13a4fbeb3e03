"""What do many runs say? Definitions and reasons stand in docs/methodology.md."""
