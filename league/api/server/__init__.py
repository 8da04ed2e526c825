"""The web application: HTTP, WebSocket, health checks and live updates."""
