"""Files become entities and entities become files: decimals kept, all problems named at once."""
