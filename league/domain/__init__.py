"""The league's decisions: pure functions over facts and rules; no clock, no I/O, no randomness."""
