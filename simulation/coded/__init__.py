"""Workers that straggle, and the moment at which their results determine the product."""
