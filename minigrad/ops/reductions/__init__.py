"""Operations that make one number of many, or need all of a row to make each of its numbers: sums, extremes, softmax,
running totals, sorting.
"""
