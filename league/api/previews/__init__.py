"""Previews: what commands on matches would change, before they are sent."""
