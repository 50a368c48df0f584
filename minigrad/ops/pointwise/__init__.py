"""Operations that act on each element alone: arithmetic, elementary functions, questions, activations."""
