"""Studies that reproduce papers: campaigns, tables and pictures behind pages of docs/."""
