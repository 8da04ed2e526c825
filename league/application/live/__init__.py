"""What keeps live tables going without their players: deadlines, presence, standstills, and the AIs' seats."""
