"""Reviews' exports."""
