"""Programs and points as files: MPS, LP, NL and .sol."""
