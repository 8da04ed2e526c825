"""Reviews that wait to be made again: an older judge made them, or their match has other rules since.

Other rules come with a promotion or a rollback, another judge with a new version of the program.
"""

import json

from league.projections.runs import Conn
from league.review.hand import JUDGE

CHANGED = """
    SELECT DISTINCT r.edition, m.edition, m.ruleset, old.document, new.document
    FROM hand_reviews AS r
    JOIN official_run ON true JOIN matches AS m ON m.run = official_run.run AND m.match_id = r.match_id
    JOIN editions AS old ON old.hash = r.edition JOIN editions AS new ON new.hash = m.edition
    WHERE r.status = 'done' AND r.edition <> m.edition
"""
# What follows is put together of texts that stand here.
OF_OLDER_JUDGES = "WHERE r.status = 'done' AND (r.judge IS NULL OR r.judge < %(judge)s)"
OF_MATCHES = """
    FROM official_run JOIN matches AS m USING (run)
    WHERE m.match_id = r.match_id AND r.status = 'done'
        AND (r.edition, m.edition, m.ruleset) = (%(old)s, %(new)s, %(ruleset)s)
"""
STAY = f"UPDATE hand_reviews AS r SET edition = m.edition {OF_MATCHES}"  # noqa: S608
BEGIN_AGAIN = """
    WITH again AS (
        UPDATE hand_reviews AS r
        SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1 {which}
        RETURNING r.match_id, r.hand
    )
    DELETE FROM review_losses USING again
    WHERE review_losses.match_id = again.match_id AND review_losses.hand = again.hand
"""
JUDGED_AGAIN = BEGIN_AGAIN.format(which=OF_OLDER_JUDGES)
RULED_AGAIN = BEGIN_AGAIN.format(which=OF_MATCHES)


def begin_outdated_again(conn: Conn) -> None:
    """Have reviews wait that an older judge made, and those whose match is scored by another ruleset now.

    All begin at once; workers get a few of them at a time. Nothing but the ruleset of an edition matters to a review.
    """
    conn.execute(JUDGED_AGAIN, {"judge": JUDGE})
    for old, new, ruleset, before, now in conn.execute(CHANGED).fetchall():
        same = json.loads(before)["rulesets"].get(ruleset) == json.loads(now)["rulesets"].get(ruleset)
        conn.execute(STAY if same else RULED_AGAIN, {"old": old, "new": new, "ruleset": ruleset})
