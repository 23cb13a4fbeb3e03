"""How is anything drawn? Colours, shapes and texts, and pictures as SVG, PDF and PNG."""
