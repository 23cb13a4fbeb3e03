"""How little an exchange of rows can cost."""
