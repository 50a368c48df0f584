"""Operations that arrange elements anew: views of the same memory, copies, joining and splitting, padding.

What is in which file: reshaping (view, reshape, squeeze), transposing (and flipping), expanding, joining (cat, stack;
split, unbind), diagonals (and triangles), padding.
"""
