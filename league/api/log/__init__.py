"""The event log in the API: the events behind a number, the audit trail, signed heads and proofs."""
