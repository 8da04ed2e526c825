"""`league digest`: the digest to compare a rebuild of an exported log with."""

from league.audit.shadow_rebuild import official_digest
from league.cli import terminal
from league.cli.opening import existing_league


def digest() -> None:
    """Print the digest of the official run.

    Send it along with an exported log: `league verify --log FILE --digest FILE` compares it with what the log folds
    to.
    """
    with existing_league() as league:
        league.project()
        terminal.print_json(official_digest(league.database.url, league.project))
