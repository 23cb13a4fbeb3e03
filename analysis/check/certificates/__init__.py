"""A checker of certificates, files that prove a bound step by step.

It uses only the data model, its files and the standard library, and shares no code with the search
for bounds. It recomputes everything in exact fractions. From the file it accepts only numbers, such
as prices, that are valid for any value.
"""
