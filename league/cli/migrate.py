"""`league migrate`: upgrades the tables to the newest version."""

from league.cli import terminal
from league.cli.opening import settings
from league.cli.options import Json
from league.infra.database import connect, open_database, wait_until_reachable
from league.infra.database import migrate as run_migrations
from league.wording.language import _


def migrate(as_json: Json = False) -> None:
    """Migrate the database to the newest version.

    Every command does so when it starts, if its database user may. Run this one as a user who may create roles.
    """
    with open_database(settings()) as database:
        wait_until_reachable(database.url, timeout=30)
        run_migrations(database.url)
        with connect(database.url) as conn:
            version = conn.execute("SELECT version_num FROM alembic_version").fetchone()
    if as_json:
        terminal.print_json({"version": version and version[0]})
    else:
        terminal.out.print(_("The database is up to date."))
