"""Operations that are told where: by slices, indices or masks.

What is in which file: indexing (x[index], select, narrow), assignment (x[index] = value, fill_, zero_, copy_), gather
(and scatter: an index for each element), masks (and nonzero), strides (as_strided).
"""
