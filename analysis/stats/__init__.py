"""Statistics over many runs. Their definitions and reasons: docs/concepts/methodology.md."""
