"""Products of vectors and matrices, and linear algebra.

What is in which file: matmul, einsum, solving (inverse, solve, determinant, Cholesky).
"""
