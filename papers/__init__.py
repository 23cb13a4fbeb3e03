"""What reproduces papers: campaigns, tables and pictures behind pages of docs/."""
