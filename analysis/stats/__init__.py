"""What do many runs say? Definitions and reasons stand in docs/concepts/methodology.md."""
