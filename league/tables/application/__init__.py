"""The commands on tables and their rows, and what keeps tables going without their players: clocks and AIs."""
