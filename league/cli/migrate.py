"""`league migrate`: upgrades the tables to the newest version."""

from contextlib import suppress

from psycopg.errors import InsufficientPrivilege

from league.cli import terminal
from league.cli.opening import settings
from league.cli.options import Json
from league.infra.database import migrate as run_migrations
from league.infra.database import open_database, version_of, wait_until_reachable
from league.infra.league_version import newest_migration
from league.wording.language import _


def migrate(as_json: Json = False) -> None:
    """Migrate the database to the newest version.

    Run it after each upgrade of the program, as a user who may create roles. Make a backup before: there is no way
    back.
    """
    with open_database(settings(), create=False) as database:
        wait_until_reachable(database.url)
        before = None
        with suppress(InsufficientPrivilege):  # what the user lacks here they may be able to grant
            before = version_of(database.url)
        run_migrations(database.url)
    newest = newest_migration()
    if as_json:
        terminal.print_json({"version": newest})
    elif before not in (None, newest):
        terminal.out.print(_("Migrated the league from {before} to {newest}.", before=before, newest=newest))
    else:
        terminal.out.print(_("The database is up to date."))
