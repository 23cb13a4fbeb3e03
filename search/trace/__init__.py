"""Trace-driven scheduling: how soon could jobs end, and how is that found?"""
