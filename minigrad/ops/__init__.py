"""The operations, by kind: each is one declaration (see `minigrad.op`) and, where arguments need care, the function
that learners call.
"""
