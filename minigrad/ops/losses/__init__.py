"""How far an output is from what it should be, as one number."""
