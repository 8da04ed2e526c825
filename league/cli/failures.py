"""The errors that end a command with a message instead of a traceback."""

from psycopg import OperationalError
from rich.markup import escape
from sqlalchemy.exc import DBAPIError

from league.application.bootstrap import CannotListen, CannotStart, ProjectorStuck
from league.audit.head_signing import ChainBroken, NewKey
from league.cli import terminal
from league.cli.exit_codes import FAILURE, REFUSED
from league.cli.folding import ReplayCancelled
from league.domain.refusals import Refusal
from league.eventlog.recorder import NotStored, StoreUnavailable
from league.infra.database import UntrustedSchema
from league.infra.durable_files import SecretTooShort
from league.infra.embedded_postgres import EmbeddedDatabaseFailed, EmbeddedDatabaseMissing
from league.infra.league_version import FileMissing, LeagueOfAnotherVersion
from league.infra.photo_store import PhotoDamaged, PhotosAway, PhotosNotInstalled
from league.infra.settings import BadSetting
from league.projections.boards.board import AlteredEdition
from league.projections.projector import AnotherProjector
from league.transfer.backup import LogDoesNotHold
from league.transfer.backup_format import DamagedBackup, UnknownFormat
from league.transfer.restore import RestoredDiffers
from league.wording.language import _, error_in_words

FAILURES = (
    StoreUnavailable, NotStored, EmbeddedDatabaseFailed, EmbeddedDatabaseMissing, BadSetting, AnotherProjector,
    ProjectorStuck, CannotListen, CannotStart, OperationalError, DBAPIError, ChainBroken, NewKey, ReplayCancelled,
    FileMissing, UntrustedSchema, LeagueOfAnotherVersion, SecretTooShort, AlteredEdition,
    LogDoesNotHold, PhotoDamaged, PhotosAway, PhotosNotInstalled, DamagedBackup, UnknownFormat, RestoredDiffers,
)  # fmt: skip


def exit_code_of(error: Exception, *, as_json: bool) -> int | None:
    """Print why a command was refused or failed. Returns its exit code, or None for an error that is a bug."""
    if isinstance(error, Refusal):
        terminal.refusal(error, as_json=as_json)
        return REFUSED
    if isinstance(error, FAILURES):
        terminal.err.print(f"[bold red]{_('failed')}[/]", escape(error_in_words(error)))
        return FAILURE
    return None
