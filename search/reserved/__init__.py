"""GADGET: how much gain can there be, and how is it found?"""
