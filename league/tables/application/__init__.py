"""The commands on live tables, their rows, and the clock and the AIs, which act without players."""
