"""How good is a method? Asked by one who does not trust it, of instances that nobody has seen."""
