"""The digest of the official league, as a file to publish, or to compare an exported log with."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from league.audit.exact_json import read_exactly
from league.audit.shadow_rebuild import ATTEMPTS, REBUILD
from league.domain.refusals import InvalidInput, WrongState
from league.domain.sentences import say
from league.infra.database import connect
from league.projections import runs
from league.projections.digest import run_digest

OFFICIAL = "SELECT run, position, code, adopted > position, hold_run(run) FROM official_run JOIN runs USING (run)"


class Digest(Struct, frozen=True):
    """Identifies a state of ratings, standings and badges: equal leagues have equal digests. Contains no names."""

    position: int
    """The position of the last event that it includes."""
    folds: str
    """The version of the folds (`runs.FOLDS`); digests of different versions cannot be compared."""
    digest: str
    """Hexadecimal."""


def official_digest(url: str, project: Callable[[], None]) -> Digest:
    """The digest of the official run's rows. Raises WrongState before there are any, and when a rebuild is needed.

    Calls `project` when a run has just been promoted: until it is folded up to its adoption, no log gives its rows.
    """
    for _ in range(ATTEMPTS):
        with connect(url) as conn:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            row = conn.execute(OFFICIAL).fetchone()
            if row is None:
                raise WrongState(say("the league"), say("not projected yet"), say("`league project` folds it"))
            run, position, code, ahead, held = row
            if held and not ahead:  # if not held, another run has just replaced it
                return Digest(runs.last_folded(conn, position), code, run_digest(conn, run))
        if ahead:
            project()
    # The log has lost the adoption of the run's rules, or the database the run's rows.
    raise WrongState(say("the official run"), say("without a digest"), REBUILD)


def digest_in(file: Path) -> Digest:
    """The digest in a file. Raises InvalidInput."""
    try:
        return read_exactly(file.read_bytes(), Digest)
    except FileNotFoundError:
        raise InvalidInput("digest", say("{file} is not there", file=file)) from None
    except (OSError, ValueError) as error:
        raise InvalidInput("digest", f"{file}: {error}") from error
