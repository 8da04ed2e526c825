"""What verification does not compare with the log, each table and column with its reason."""

from functools import cache

from league.features import declared

OF_THE_CORE = {
    "checkpoints": "places from which a correction folds again: they depend on the pages in which the log was folded",
    "official_run": "which run is official, and which one was before",
    "generation": "counts what has changed rows without an event",
    "replays": "the requests for replays; their runs are read only on request",
    "journal": "the steps in which ratings moved depend on when the log was folded; `journal_faults` adds them up",
    "league.singleton": "there is one row",
    "revoked_tokens.revoked_at": "when the row was written: the event has its own time",
    "revoked_tokens.expires_at": "nothing reads it: a revoked token stays revoked",
    "sign_in_links.hash": "of the secret in the link, which nobody keeps",
    "sign_in_links.expires_at": "until when the link works: the event tells the end of the session",
    "sign_in_links.used_at": "whether the link was used: a session is no event",
    "web_sessions.hash": "of the secret in the cookie, which nobody keeps",
    "web_sessions.browser": "what the browser calls itself",
    "web_sessions.began_at": "when the person signed in: a session is no event",
    "play_progress": "up to where the play of hands is counted",
    "match_facts.changed_position": "the page that brought the facts depends on when the log was folded",
    "runs.position": "the log is folded up to there",
    "runs.code": "another version of the folds is a fault of its own",
    "runs.ready": "whether the run may be removed",
    "runs.created_at": "when the run was begun",
    "runs.base": "which rules a replay revises: it decides what may be promoted",
}


@cache
def bookkeeping() -> dict[str, str]:
    """By table, or column as `table.column`, the reason. A key is compared all the same."""
    return {**OF_THE_CORE, **{name: reason for names in declared("bookkeeping") for name, reason in names.items()}}
