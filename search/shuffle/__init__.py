"""Lower bounds on the cost of an exchange of rows."""
