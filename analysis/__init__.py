"""What does it mean? The judge, and later costs, guarantees, statistics, tables, reports."""
