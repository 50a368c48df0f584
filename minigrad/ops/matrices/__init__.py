"""Products of vectors and matrices, and linear algebra.

What is in which file: matmul (and addmm), solving (inverse, solve, determinant, Cholesky).
"""
