"""Programs of the `online` family: one slot, and all slots at once."""
