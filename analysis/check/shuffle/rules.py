"""The rules of a `shuffle` plan: one function each, its docstring the rule."""

RULES: dict[str, str] = {}
