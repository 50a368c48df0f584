"""Operations that arrange elements anew: views of the same memory, copies, joining and splitting, padding.

What is in which file: views (reshape, squeeze), transposing (and flipping), expanding (and repeating), splitting,
joining (cat, stack), diagonals (and triangles), padding.
"""
