"""Colours, shapes and texts, and their output as SVG, PDF and PNG."""
