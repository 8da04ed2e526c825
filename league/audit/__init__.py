"""Proof that nobody changed the log: Merkle tree, signed heads, proofs, verification."""
