"""What coded products are worth: the limits for many workers, simulation, decoding."""
