"""What online admission knows: jobs and machines as arrays, and prices."""
