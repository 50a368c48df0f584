"""What kinds of events there are: the numbers are PyTorch's."""

FUNCTION = 0  # an op, or a function that is made of ops
BACKWARD = 1  # the rules of a node
USER = 7  # what the learner named with record_function, and an optimizer's step
