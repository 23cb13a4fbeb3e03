"""What papers claim, claim by claim, and what decides each."""
