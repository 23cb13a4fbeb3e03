"""From a fractional point to a whole one, with what the theorems promise."""
