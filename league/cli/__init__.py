"""The `league` command: parses, calls, prints."""

import signal
import sys
from typing import NoReturn

from psycopg import OperationalError
from rich.markup import escape
from sqlalchemy.exc import DBAPIError

from league.application.bootstrap import CannotListen, ProjectorStuck
from league.audit.head_signing import ChainBroken, NewKey

# Each module adds its commands.
from league.cli import checking, correcting, founding, looking, months, replaying, rows, rules, running, terminal  # noqa: F401  # for their commands
from league.cli.app import FAILURE, REFUSED, SUCCESS, app
from league.cli.replays_command import Cancelled
from league.domain.refusals import Refusal
from league.eventlog.recorder import StoreUnavailable
from league.infra.embedded_postgres import EmbeddedDatabaseFailed, EmbeddedDatabaseMissing
from league.infra.settings import BadSetting
from league.projections.projector import AnotherProjector

FAILURES = (
    StoreUnavailable, EmbeddedDatabaseFailed, EmbeddedDatabaseMissing, BadSetting, AnotherProjector, ProjectorStuck,
    CannotListen, OperationalError, DBAPIError, ChainBroken, NewKey, Cancelled,
)  # fmt: skip


def main() -> NoReturn:
    """Run the command and end the process with its exit code."""
    as_json = "--json" in sys.argv
    # So that what was opened is closed, the embedded database too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        app(standalone_mode=True)
    except Refusal as refusal:
        terminal.refusal(refusal, as_json=as_json)
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except FAILURES as failure:
        terminal.err.print("[bold red]failed[/]", escape(str(failure)))
        sys.exit(FAILURE)
    sys.exit(SUCCESS)
