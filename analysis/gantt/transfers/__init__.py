"""Updates on their way to the server against time: plans of the family `transfers`."""
