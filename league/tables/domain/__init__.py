"""A live table: its events, commands, decisions and views. The rules of play are `league.domain.play`."""
