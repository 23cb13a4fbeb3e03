"""Reading and writing of entities: decimals are exact, and all problems are reported at once."""
