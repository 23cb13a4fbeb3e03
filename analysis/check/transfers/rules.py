"""The rules of a `transfers` plan: one function each, its docstring the rule."""

RULES: dict[str, str] = {}
