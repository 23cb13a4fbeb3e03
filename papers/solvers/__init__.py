"""The solver comparison: every engine on every program of the corpus, each answer audited."""
