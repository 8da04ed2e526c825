"""What is read of live tables: the lobby, and how long the players thought about their turns."""

BOOKKEEPING = {
    "live_tables": "what a running table waits for: it is written with its events, and goes with the table",
    "live_presence": "who is connected at this time",
    "live_heartbeat": "when a server was last alive",
    "table_mutes": "whose phrases a player does not want to see: no event says so, and it goes with the table",
}
"""Tables that no fold of the log makes, and why."""
