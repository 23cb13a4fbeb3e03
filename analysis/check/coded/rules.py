"""The rules of a `coded` plan: one function each, its docstring the rule."""

RULES: dict[str, str] = {}
