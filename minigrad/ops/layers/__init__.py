"""What the layers of networks are made of beside products and images: normalization, dropout, embedding, attention."""
