"""Programs of the `trace` family."""
