"""The judge, certificates, guarantees, statistics, tables, figures and reports."""
