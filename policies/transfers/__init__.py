"""Which updates are sent, in which order, by which way, and which are copied."""
