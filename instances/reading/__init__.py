"""Files become nouns and nouns become files: decimals kept, all problems named at once."""
