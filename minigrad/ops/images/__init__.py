"""Operations on maps of pixels, in one to three dimensions: convolution, pooling, interpolation."""
