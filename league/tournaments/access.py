"""Who may do what in tournaments, what each code of a refusal means, and the size limits of uploads."""

from league.api.auth.reach import ADMIN, KEEPER, PLAYER, SEATED, AccessPart

LARGEST = 1024 * 1024
"""Limit on the bytes of a sheet of entries, which has at most 1,000 rows."""

ERROR_CODES = {
    "DRAWN_AGAIN": "The round could not be published, and was drawn again: look at its tables and publish it.",
    "ALREADY_COMMITTED": "The competitor has a commitment to the next drawing already.",
    "COMMITMENT_USED": "The tournament has seen this commitment before: make new random bytes, and commit to those.",
    "NO_COMMITMENT": "The competitor had no commitment when the round was drawn.",
    "OTHER_COMMITMENT": "The bytes do not fit the commitment.",
    "ALREADY_CONTRIBUTED": "The competitor's bytes for this drawing are stored already.",
    "DRAWING_CLOSED": "The bytes came too late: the round is paired, or was drawn again.",
    "ROUND_OUTDATED": "The inputs of the drawn round have changed: draw it again, or publish it with `evenIfOutdated`.",
    "TOURNAMENT_ENDED": "The tournament has ended: it does not change any more.",
    "PLAN_FIXED": "Competitors or rounds depend on this part of the plan: change another, such as the rounds.",
    "ENTRIES_CLOSED": "The plan lets nobody enter any more: enter in the place of somebody who withdrew (`replaces`).",
    "ALREADY_CHECKED_IN": "All listed competitors are checked in already: read the tournament again.",
    "ALREADY_WITHDRAWN": "The competitor has withdrawn: read the tournament again; they can return.",
    "NOT_WITHDRAWN": "The competitor takes part, so they cannot return: read the tournament again.",
    "STILL_TAKES_PART": "The competitor to be replaced still takes part: withdraw them first.",
    "PLACE_TAKEN": "Another competitor plays in their place: enter them again, if the plan allows it.",
    "TOURNAMENT_FULL": "1,024 competitors take part, the most there can be: plan another tournament for the others.",
    "ENTERED_TOGETHER": "Both entered one tournament, so that they are two people: do not merge them.",
    "TOO_FEW_COMPETITORS": "Too few competitors are available for a table: enter, check in or return more.",
    "NO_FULL_CYCLE": "A full cycle does not fit this number of players: change the plan or who takes part.",
    "NO_ROUND_LEFT": "All rounds of the plan are played: add a round to the plan, or end the tournament.",
    "NOTHING_DRAWN": "The round is not drawn yet: draw it without `again`.",
    "ROUND_DRAWN": "The round is drawn: publish it, or say in `again` why it is drawn again.",
    "DRAW_IT_AGAIN": "The plan has changed or a competitor has withdrawn since the round was drawn: draw it again.",
    "ROUND_NOT_PAIRED": "The tables of the round are not there yet: try again in a moment.",
    "ROUND_NOT_PUBLISHED": "The round is not announced: publish it first.",
    "ROUND_PUBLISHED": "The round is announced already: read it again.",
    "ROUND_NOT_CLOSED": "A round is not closed: close it first.",
    "ROUND_CLOSED": "The round is closed, and its tables stay as they are: read it again.",
    "ROUND_WITHDRAWN": "The round was withdrawn, and counts for nothing: draw it anew.",
    "ROUND_BEGUN": "A table of the round has a hand, a result or a recorded absence: the round cannot be withdrawn.",
    "RESULTS_MISSING": "Tables have no result yet: record their results, or void their matches.",
    "FIXTURE_OPEN": "The match of the table is open already: go on with that match.",
    "FIXTURE_NOT_OPEN": "The match of the table was never opened: open it with `openFixture`.",
    "MATCH_NOT_VOIDED": "The match of the table is not voided: void it first.",
    "TABLE_VOIDED": "The match of the table was voided after play had begun: replace the match first.",
    "TABLE_BEGUN": "Play at the table has begun: forfeit or void its match.",
}
ACCESS = AccessPart(
    permissions={
        "planTournament": KEEPER,
        "changeTournamentPlan": KEEPER,
        "enterTournament": PLAYER,
        "checkInToTournament": PLAYER,
        "withdrawFromTournament": PLAYER,
        "returnToTournament": KEEPER,
        "commitToDrawing": SEATED,
        "contributeToDrawing": SEATED,
        "drawRound": KEEPER,
        "publishRound": KEEPER,
        "withdrawRound": KEEPER,
        "openFixture": KEEPER,
        "changePairings": KEEPER,
        "recordAbsence": KEEPER,
        "replaceTournamentMatch": KEEPER,
        "closeRound": KEEPER,
        "endTournament": ADMIN,
    },
    error_codes=ERROR_CODES,
    uploads={
        "/entries": LARGEST,
        "/record/entries": LARGEST,  # the form of the console, which takes the same file with a cookie
    },
)
