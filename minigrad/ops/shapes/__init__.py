"""Operations that arrange elements anew: views of the same memory, repetition, joining, padding."""
