"""The choice, order, routes and copies of updates."""
