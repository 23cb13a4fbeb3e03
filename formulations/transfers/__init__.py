"""Programs over pending updates: their order, their routes to the server, and their copies."""
