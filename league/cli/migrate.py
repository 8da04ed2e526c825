"""`league migrate`: upgrades the tables to the newest version."""

from league.cli import terminal
from league.cli.opening import settings
from league.infra.database import migrate as run_migrations
from league.infra.database import open_database, wait_until_reachable
from league.wording.language import _


def migrate() -> None:
    """Migrate the database to the newest version.

    Every command does so when it starts, if its database user may. Run this one as a user who may create roles.
    """
    with open_database(settings()) as database:
        wait_until_reachable(database.url, timeout=30)
        run_migrations(database.url)
    terminal.out.print(_("The database is up to date."))
