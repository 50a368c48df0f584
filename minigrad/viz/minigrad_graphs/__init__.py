"""minigrad's own graphs and its own backward, as the pictures ask for them (graph/source.py)."""
