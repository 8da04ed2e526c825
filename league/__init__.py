"""An event-sourced backend for domino leagues."""
