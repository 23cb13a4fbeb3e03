"""Quality against time: the default and its searches beside general tools on the same machine."""
