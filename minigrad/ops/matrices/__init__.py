"""Products of matrices and of whole tensors, and what linear algebra makes of a matrix."""
