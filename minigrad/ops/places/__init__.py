"""Operations that are told where: by slices, indices or masks.

What is in which file: indexing (x[index], select, narrow), assignment (x[index] = value), gather (and scatter: an index
for each element), index_select (a vector of indices along a dimension), masks (and nonzero), strides (as_strided),
overwrite (fill_, zero_, copy_).
"""
