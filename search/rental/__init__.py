"""Renting GPUs under a budget: how soon can jobs end on average, and how is that known?"""
