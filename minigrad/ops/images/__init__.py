"""Operations on maps of pixels, in one or two dimensions: convolution, pooling, interpolation."""
