"""The jobs and links of a `reserved` instance as arrays."""
