"""What is read of live tables: the lobby, and how long the players thought about their turns."""

BOOKKEEPING = {
    "live_tables.changed_at": "when the row was written",
    "live_tables.leased_until": "whether a process is about to meet the deadline",
    "live_tables.ai_leased_until": "whether a process is about to play for the AI",
    "live_tables.silence_from": "from when on silence counts: after a standstill it is the time of the clock",
    "live_tables.stood_since": "a span in which no server was alive, until the table has noted it",
    "live_tables.stood_until": "the same",
    "live_presence": "who is connected at this time",
    "live_heartbeat": "when a server was last alive",
    "table_mutes": "whose phrases a player does not want to see: no event says so, and it goes with the table",
}
"""Tables and columns that do not follow from the log, and why."""
