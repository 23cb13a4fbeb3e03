"""Files become nouns and nouns become files: decimals kept, all faults named at once."""
