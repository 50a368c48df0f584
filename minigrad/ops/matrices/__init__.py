"""Products of vectors, matrices and whole tensors, and linear algebra.

Products are in matmul, addmm, matrix_power, multi_dot, einsum, tensordot, cross; distances in cdist; inverses and
systems of equations in inverse and least_squares; factorizations in cholesky, qr, eigh, svd; numbers that tell of a
matrix in determinant and norms; checks are what they have in common.
"""
