"""Products of vectors and matrices, and linear algebra.

What is in which file: matmul, solving (inverse, solve, determinant, Cholesky).
"""
