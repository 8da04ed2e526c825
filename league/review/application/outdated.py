"""Reviews of matches whose rules have changed since, by a promotion or a rollback: they wait for another review."""

import json

from league.projections.runs import Conn

CHANGED = """
    SELECT DISTINCT r.edition, m.edition, m.ruleset, old.document, new.document
    FROM hand_reviews AS r
    JOIN official_run ON true JOIN matches AS m ON m.run = official_run.run AND m.match_id = r.match_id
    JOIN editions AS old ON old.hash = r.edition JOIN editions AS new ON new.hash = m.edition
    WHERE r.status = 'done' AND r.edition <> m.edition
"""
# What follows is put together of texts that stand here.
OF_MATCHES = """
    FROM official_run JOIN matches AS m USING (run)
    WHERE m.match_id = r.match_id AND r.status = 'done'
        AND (r.edition, m.edition, m.ruleset) = (%(old)s, %(new)s, %(ruleset)s)
"""
STAY = f"UPDATE hand_reviews AS r SET edition = m.edition {OF_MATCHES}"  # noqa: S608
BEGIN_AGAIN = f"""
    WITH again AS (
        UPDATE hand_reviews AS r
        SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1 {OF_MATCHES}
        RETURNING r.match_id, r.hand
    )
    DELETE FROM review_losses USING again
    WHERE review_losses.match_id = again.match_id AND review_losses.hand = again.hand
"""  # noqa: S608


def begin_outdated_again(conn: Conn) -> None:
    """Have those reviews wait whose match is scored by another ruleset now; the ruleset alone matters to a review."""
    for old, new, ruleset, before, now in conn.execute(CHANGED).fetchall():
        same = json.loads(before)["rulesets"].get(ruleset) == json.loads(now)["rulesets"].get(ruleset)
        conn.execute(STAY if same else BEGIN_AGAIN, {"old": old, "new": new, "ruleset": ruleset})
