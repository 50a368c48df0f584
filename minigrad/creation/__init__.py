"""Making tensors: of numbers that are there (`data`), or by a rule (`factories`); `arguments` has what both take.

Tensors of chance are made in `minigrad.random`.
"""
