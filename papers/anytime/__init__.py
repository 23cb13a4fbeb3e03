"""Quality against time: the default and its searches, and general tools on the same machine."""
