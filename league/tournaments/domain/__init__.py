"""What a round of a tournament is made of: inputs that were drawn, chance, tables."""
