"""Operations that are told where: by slices, indices or masks.

What is in which file: slicing (ints and slices), indexing (x[index]), gather (and scatter: an index for each element),
index_select (a vector of indices along a dimension), masks (and nonzero), strides (as_strided), overwrite (fill_,
zero_, copy_).
"""
