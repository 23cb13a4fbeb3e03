"""What replays of one workload say together, and where one conclusion contradicts another."""
