"""Is the contention model true of a network, and with which numbers? Fitted to measurements."""
