"""Does a bound follow? A checker of certificates: files in which a bound is proved step by step.

It knows the data model, its files and the standard library, and shares no line with what finds
bounds: it works out everything again, in exact fractions, and takes only numbers that any value
of would be allowed, such as prices, from the file.
"""
