"""`league verify` beside hashlib alone on the same bytes: from the database, and from an exported file."""

from __future__ import annotations

import tempfile
from hashlib import sha256

from league.application.bootstrap import League
from league.audit.merkle import NODE
from league.audit.proofs import read_log, write_log
from league.audit.verification import LogReport, verify_log
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import FIRST, LEAF
from league.infra.database import connect
from tests.bench.measure import best, say

TIMES = 5


def bench_verify(league: League) -> None:
    """Positions, versions, times, chain and tree of a whole log; the floor only hashes what is hashed there.

    That is each event with the hash before it, and each node of the tree, all in memory already.
    """
    with connect(league.database.url) as conn, tempfile.TemporaryFile() as file:
        report = verify_log(encoded_rows.rows(conn))
        assert not report.faults
        ours = best(TIMES, lambda: verify_log(encoded_rows.rows(conn)))
        write_log(encoded_rows.rows(conn), file)

        def from_file() -> LogReport:
            file.seek(0)
            return verify_log(read_log(file))

        exported = best(TIMES, from_file)
        events, before = [], FIRST
        for encoded, hash_ in encoded_rows.rows(conn):
            events.append(LEAF + before + encoded)
            before = hash_
    nodes = [NODE + one[-64:] for one in events[1:]]
    count, megabytes = report.events, sum(map(len, events)) / 1e6
    chain = best(TIMES, lambda: [sha256(one).digest() for one in events])
    floor = chain + best(TIMES, lambda: [sha256(one).digest() for one in nodes])
    say(f"verify        {count / ours:>10,.0f} events/s   ({count:,} events, {megabytes:.0f} MB)")
    say(f"  floor: hash {count / floor:>10,.0f} events/s   ratio {floor / ours:.3f}   (events and tree)")
    say(f"  floor: hash {count / chain:>10,.0f} events/s   ratio {chain / ours:.3f}   (events alone)")
    say(f"  an export   {count / exported:>10,.0f} events/s   ratio {floor / exported:.3f} (events and tree)\n")
