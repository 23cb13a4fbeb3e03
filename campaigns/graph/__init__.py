"""Campaigns that are graphs: typed nodes, and results that go from one to the next."""
