"""Coded shuffling: how many rows are sent, by formula and as measured, and what is decoded."""
