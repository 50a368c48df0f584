"""Operations that are told where: by slices, indices or masks.

What is in which file: indexing (x[index], select, narrow), assignment (x[index] = value, fill_, zero_, copy_), elements
(gather, scatter: an index for each element; masked_fill, nonzero), strides (as_strided).
"""
