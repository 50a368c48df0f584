"""Operations that are told where: indexing, gather and scatter, masks, and writing into parts."""
