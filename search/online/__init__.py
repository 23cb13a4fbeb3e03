"""How much utility can there be, and how do we know?"""
