"""Programs of the `reserved` family."""
