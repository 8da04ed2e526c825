"""The league itself in the API: its settings, seasons and tokens."""
