"""Evidence that the log was not changed: Merkle tree, signed heads, proofs, verification."""
