"""The commands on photos and their rows, and the jobs that count them."""
