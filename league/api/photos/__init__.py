"""Photos of leftover tiles: the proposed counts, and what people make of them."""
