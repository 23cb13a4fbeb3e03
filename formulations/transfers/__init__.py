"""Programs over pending updates: their order, their ways to the server, and their copies."""
