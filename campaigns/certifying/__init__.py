"""Certificates of all named instances: made, checked, and counted."""
