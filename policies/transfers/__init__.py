"""Which updates are sent, in which order, by which route, and which are copied."""
