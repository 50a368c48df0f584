"""Operations that arrange elements anew: views of the same memory, copies, joining and splitting, padding.

What is in which file: views (reshape, squeeze), transposing, expanding (broadcast), splitting, joining (cat, stack),
grids, repeating, flipping (and rolling), diagonals, triangles, unfolding, padding.
"""
