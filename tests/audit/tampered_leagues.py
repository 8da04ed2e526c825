"""A league in which a bit of everything has happened, and changes that somebody may make to its rows."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from databases import MIGRATED, Template
from leagues import PLAYERS, adopt, announced, at, catch_up, domino, found, league_at, opened, played, send
from live_tables import SLOW, dealt, do
from msgspec.structs import replace
from signed_leagues import SEED

from league.api.auth.web_sessions import SignInLink, SignInLinks, make_link
from league.application import storing
from league.application.bootstrap import League
from league.audit.signed_heads import read_private_key
from league.domain.audit_trail import ReplayShown, ReplayWithdrawn, TokenMade, TokenRevoked
from league.domain.disputes import DisputeResult
from league.domain.league import ChangeSettings, CloseMonth, OpenSeason
from league.domain.match import EndMatch, RecordHand, RecordResult
from league.domain.members import AddMember, RequestAccess
from league.domain.play import Turn
from league.domain.player import ErasePlayer, MergePlayers, RegisterPlayer
from league.domain.result import AnnouncedResult
from league.domain.transcript import Transcript
from league.eventlog.records import AppendRequest
from league.infra.database import engine
from league.photos.domain.photo import CorrectCount, ErasePhoto, UploadPhoto
from league.projections.rows_again import revoke, write_shown
from league.review import hand as hands
from league.review import options
from league.review.commands import RequestReview, SetReviewConsent
from league.review.work import review_stored_hand
from league.tables.domain.commands_and_events import OpenTable
from league.tournaments.domain.commands import DrawRound, EnterCompetitor, PlanTournament, PublishRound
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.explaining import explain_round

ADMIN = AppendRequest("admin", "manual")
LOCKED = Transcript(
    (
        ((6, 6), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 7), (0, 8), (0, 9), (1, 1)),
        ((1, 2), (1, 3), (1, 4), (1, 5), (1, 7), (1, 8), (1, 9), (2, 2), (2, 3), (2, 4)),
    ),
    (Turn(0, (6, 6)),),
)
"""A hand that the first tile locks."""
HONOURS = "badges.month_won = [1]\nbadges.streak = [2]"


def _fill(url: str) -> None:
    with league_at(url) as league, pytest.MonkeyPatch.context() as patch:
        judge_quickly(patch)
        found(league)
        adopt(league, f"{HONOURS}\n{SLOW}")
        _play(league)
        _sign_in(league)
        _photograph(league)
        _review(league)
        _hold_tournament(replace(league, key=read_private_key(SEED)))
        send(league, ChangeSettings(confirmation=True), announced("pending", ("cira", "dora"), 11))
        do(league, OpenTable("lobby", "cuban-150", "2v2", "casual", opened_by="ana", invited=("bea",)))
        dealt(league, "running", PLAYERS[2:4])
        catch_up(league)


def judge_quickly(patch: pytest.MonkeyPatch) -> None:
    """Review hands with few deals."""
    for module, name in ((options, "FIRST_DEALS"), (options, "MOST_DEALS"), (hands, "DEALS")):
        patch.setattr(module, name, 16)


TOUCHED = Template("touched", _fill, MIGRATED)
"""A bit of everything, projected."""


def _play(league: League) -> None:
    send(league, OpenSeason("s1", "Spring", at(-900), at(900)))
    for number in range(4):
        send(league, announced(f"m{number}", ("ana", PLAYERS[1 + number % 3]), number))
    send(league, played("h1", PLAYERS[:4], 8, domino(0, 0, 90, 3, 4, both=True), domino(1, 60, 0, 60, 2)))
    send(league, played("h2", ("eva", "flor"), 9, domino(0, 0, 90), domino(0, 0, 80)))
    send(league, opened("h3", ("ana", "bea"), 10), RecordHand("h3", transcript=LOCKED))
    send(league, CloseMonth("2026-03"), ErasePlayer("flor"))
    send(league, RegisterPlayer("dora-2", "Dora"), announced("m4", ("dora-2", "bea"), 4))
    send(league, MergePlayers("dora", "dora-2"), DisputeResult("m1", "cira", "she did not win"))


def _sign_in(league: League) -> None:
    send(league, AddMember("kim", "kim@club.example", ("scorekeeper",)))
    send(league, AddMember("lee", "lee@club.example", ("player",), "ana"), RequestAccess("zoe", "zoe", "Zoe"))
    for token in ("lost", "stolen"):
        revoked = TokenRevoked(token)
        storing.record(league.store, revoked, ADMIN, lambda conn, *_, token=token: revoke(conn, token) or None)
    for act in (ReplayShown(7, None, "why not"), ReplayShown(8, None, "why"), ReplayWithdrawn(8, "nobody wants it")):
        storing.record(league.store, act, ADMIN, lambda conn, _, last, act=act: write_shown(conn, last, act))
    for token in ("of a link", "of a session"):
        made = TokenMade(token, "auditor-1", ("auditor",), at(24 * 365))
        link, secret = SignInLink(token, made.sub, made.roles, made.expires_at), ""

        def store(conn: object, *_: int, link: SignInLink = link) -> None:
            nonlocal secret
            secret = make_link(link, conn)  # type: ignore[arg-type]

        storing.record(league.store, made, ADMIN, store)
    pool = engine(league.database.url)
    assert SignInLinks(pool).use(secret, "Firefox")
    pool.dispose()


def _photograph(league: League) -> None:
    for number in range(1, 4):
        send(league, UploadPhoto(f"p{number}", "h1", 1, 1, None, f"{number}a" * 32, 40_000, "image/jpeg", 800, 600))
    send(league, CorrectCount("p2", None, 40), ErasePhoto("p3", "a face is on it"))


def _review(league: League) -> None:
    send(league, EndMatch("h3"))
    send(league, opened("h4", ("ana", "bea"), 12), RecordHand("h4", transcript=LOCKED), EndMatch("h4"))
    for match in ("h3", "h4"):
        send(league, RequestReview(match, 1))
    review_stored_hand(league.database.url, "h3", 1)
    send(league, SetReviewConsent("ana", True), SetReviewConsent("bea", True), SetReviewConsent("bea", False))


def _hold_tournament(league: League) -> None:
    plan = {"name": "Copa", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3}
    send(league, PlanTournament("copa", plan))
    send(league, RegisterPlayer("gil", "Gil"))
    for player in ("ana", "bea", "cira", "eva", "gil"):
        send(league, EnterCompetitor("copa", (player,)))
    for number in (1, 2):
        draw_round(league, DrawRound("copa"), "test")
        publish_round(league, PublishRound("copa", number), "test")
        if number == 1:
            send(league, *(RecordResult(f"copa-r1-t{table}", AnnouncedResult(0, (150, 90))) for table in (1, 2)))
            explain_round(league.database.url, "copa", 1)


class Tampering(NamedTuple):
    """A change that somebody makes as the program's own login, and the beginning of what verification says about it."""

    does: str
    said: str


ROLES = "roles is ['scorekeeper', 'admin'], but the log says ['scorekeeper']"
ADMIN_ROLES = "roles is ['admin'], but the log says ['auditor']"
NEW_MEMBER = """
    INSERT INTO members SELECT 'mallory', 'mallory', name, player_id, '{admin}', standing, since FROM members
    WHERE member_id = 'kim'
"""
NEW_SESSION = """
    INSERT INTO web_sessions SELECT 'x', 'new', NULL, 'kim', '{admin}', browser, began_at, expires_at FROM web_sessions
"""
OTHER_PLAYER = "UPDATE tournaments SET state = replace(state::text, encode('ana', 'hex'), encode('bea', 'hex'))::bytea"
OF_H3 = "UPDATE hand_reviews SET {} WHERE match_id = 'h3'"
R1, R2 = (f"tournament_explanations, row tournament copa, round {number}" for number in (1, 2))
H3, H4 = "hand_reviews, row match h3, hand 1", "hand_reviews, row match h4, hand 1"
LOSS = "review_losses, row match h3, hand 1, seat 0, kind opening"

TAMPERINGS = tuple(
    Tampering(does, f"table {said}")
    for does, said in (
        # Rights.
        (
            "UPDATE members SET roles = '{scorekeeper,admin}' WHERE member_id = 'kim'",
            f"members, row member kim: {ROLES}",
        ),
        ("UPDATE members SET subject = 'm' WHERE member_id = 'kim'", "members, row member kim: subject is m, but"),
        (
            "UPDATE members SET player_id = 'bea' WHERE member_id = 'lee'",
            "members, row member lee: player_id is bea, but",
        ),
        (
            "UPDATE members SET standing = 'member' WHERE member_id = 'zoe'",
            "members, row member zoe: standing is member",
        ),
        (NEW_MEMBER, "members, row member mallory: the log does not say so"),
        ("DELETE FROM members WHERE member_id = 'kim'", "members, row member kim: it is missing"),
        ("DELETE FROM revoked_tokens WHERE jti = 'lost'", "revoked_tokens, row jti lost: it is missing"),
        ("UPDATE revoked_tokens SET jti = 'x' WHERE jti = 'stolen'", "revoked_tokens, row jti stolen: it is missing"),
        (
            "INSERT INTO revoked_tokens (jti) VALUES ('of kim')",
            "revoked_tokens, row jti of kim: the log does not say so",
        ),
        ("UPDATE shown_replays SET title = 'M'", "shown_replays, row replay 7: title is M, but the log says no"),
        ("UPDATE shown_replays SET reason = 'M'", "shown_replays, row replay 7: reason is M, but the log says why not"),
        ("DELETE FROM shown_replays WHERE replay = 7", "shown_replays, row replay 7: it is missing"),
        (
            "INSERT INTO shown_replays VALUES (8, now(), NULL, 'why')",
            "shown_replays, row replay 8: the log does not say so",
        ),
        ("UPDATE sign_in_links SET roles = '{admin}'", f"sign_in_links, row token of a link: {ADMIN_ROLES}"),
        ("UPDATE web_sessions SET roles = '{admin}'", f"web_sessions, row token of a session: {ADMIN_ROLES}"),
        (
            "UPDATE web_sessions SET sub = 'kim'",
            "web_sessions, row token of a session: sub is kim, but the log says audi",
        ),
        (
            "UPDATE web_sessions SET member_id = 'kim'",
            "web_sessions, row token of a session: member_id is kim, but the log says no",
        ),
        (
            "UPDATE sign_in_links SET member_id = 'kim' WHERE token_id = 'of a link'",
            "sign_in_links, row token of a link: member_id is kim, but the log says no",
        ),
        (NEW_SESSION, "web_sessions, row token new: the log does not say so"),
        ("DELETE FROM review_consents", "review_consents, row player ana: it is missing"),
        ("INSERT INTO review_consents VALUES ('cira')", "review_consents, row player cira: the log does not say so"),
        # Names.
        (
            "UPDATE members SET name = 'M' WHERE member_id = 'zoe'",
            "members, row member zoe: name is M, but the log says Zoe",
        ),
        (
            "UPDATE players SET name = 'M' WHERE player_id = 'ana'",
            "players, row player ana: name is M, but the log says Ana",
        ),
        (
            "UPDATE players SET name = 'F' WHERE player_id = 'flor'",
            "players, row player flor: name is F, but the log says no",
        ),
        (
            "UPDATE player_aliases SET canonical_id = 'eva'",
            "player_aliases, row player dora-2: canonical_id is eva, but",
        ),
        ("UPDATE tournaments SET name = 'M'", "tournaments, row tournament copa: name is M, but the log says Copa"),
        ("UPDATE seasons SET name = 'Winter'", "seasons, row season s1: name is Winter, but the log says Spring"),
        # Numbers.
        (
            "UPDATE ratings SET rating = 9 WHERE id = 'bea'",
            "ratings, row subject player, id bea, mode 1v1: rating is 9.0",
        ),
        (
            "UPDATE matches SET winner = 1 WHERE match_id = 'm0'",
            "matches, row match m0: winner is 1, but the log says 0",
        ),
        ("UPDATE standings SET wins = 9 WHERE id = 'ana'", "standings, row mode 1v1, month 2026-03, id ana: wins is 9"),
        (
            "UPDATE published_standings SET rank = 9 WHERE id = 'ana'",
            "published_standings, row month 2026-03, mode 1v1, id",
        ),
        ("DELETE FROM badges WHERE player_id = 'ana'", "badges, row player ana, badge month_won-1: it is missing"),
        ("UPDATE disputes SET outcome = 'rejected'", "disputes, row match m1, dispute 1: outcome is rejected, but"),
        ("DELETE FROM pending_matches", "pending_matches, row match pending: it is missing"),
        (
            "UPDATE photos SET match_id = 'h2' WHERE photo_id = 'p1'",
            "photos, row photo p1: match_id is h2, but the log",
        ),
        (
            "UPDATE photos SET sha256 = '5b' WHERE photo_id = 'p2'",
            "photos, row photo p2: sha256 is 5b, but the log says 2a",
        ),
        (
            "UPDATE photos SET erased = false WHERE photo_id = 'p3'",
            "photos, row photo p3: erased is False, but the log",
        ),
        ("UPDATE photos SET to_count = false WHERE photo_id = 'p1'", "photos, row photo p1: to_count is False, but"),
        ("DELETE FROM photos WHERE photo_id = 'p1'", "photos, row photo p1: it is missing"),
        ("DELETE FROM hand_reviews WHERE match_id = 'h4'", f"{H4}: it is missing"),
        ("UPDATE hand_reviews SET hand = 2 WHERE match_id = 'h4'", f"{H4}: it is missing"),
        (OF_H3.format("status = 'waiting'"), f"{H3}: status is waiting, but the log says done"),
        (OF_H3.format("status = 'failed', attempts = 9"), f"{H3}: status is failed, but the log says done"),
        (OF_H3.format("parts = NULL"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("moves = '[]'"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("moves = '[{}]'"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("parts = '[{}]'"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("input = 'x'"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("edition = 'x'"), f"{H3}: status is done, but the log says waiting"),
        (OF_H3.format("judge = judge + 1"), f"{H3}: status is done, but the log says waiting"),
        (
            "UPDATE hand_reviews SET status = 'done' WHERE match_id = 'h4'",
            f"{H4}: status is done, but the log says wait",
        ),
        ("UPDATE hand_reviews SET status = 'impossible' WHERE match_id = 'h4'", f"{H4}: status is impossible, but the"),
        ("UPDATE review_losses SET lost = 5", f"{LOSS}: lost is 5.0, but the log says"),
        ("UPDATE review_losses SET player_id = 'eva'", f"{LOSS}: player_id is eva, but the log says ana"),
        ("DELETE FROM review_losses", f"{LOSS}: it is missing"),
        # Pairings.
        (OTHER_PLAYER, "tournaments, row tournament copa: state is not what the log says"),
        (
            "UPDATE tournaments SET status = 'ended'",
            "tournaments, row tournament copa: status is ended, but the log says",
        ),
        (
            "UPDATE tournament_matches SET match_id = 'm0' WHERE match_id = 'copa-r1-t1'",
            "tournament_matches, row match co",
        ),
        (
            "UPDATE tournament_matches SET number = 3 WHERE number = 1",
            "tournament_matches, row match copa-r1-t1: number is 3",
        ),
        (
            "DELETE FROM tournament_players WHERE player_id = 'ana'",
            "tournament_players, row player ana, tournament copa: it",
        ),
        (
            "INSERT INTO tournament_players VALUES ('dora', 'copa')",
            "tournament_players, row player dora, tournament copa: th",
        ),
        (
            "UPDATE tournament_drawings SET drawing = 'x' WHERE round = 1",
            "tournament_drawings, row tournament copa, round 1, number 1: ",
        ),
        (
            "DELETE FROM tournament_drawings WHERE round = 2",
            "tournament_drawings, row tournament copa, round 2, number 1: it is miss",
        ),
        ("UPDATE tournament_explanations SET input = 'x' WHERE round = 1", f"{R1}: input is x, but the log says "),
        ("UPDATE tournament_explanations SET drawing = 2 WHERE round = 2", f"{R2}: the log does not say so"),
        ("DELETE FROM tournament_choices WHERE (round, number) = (1, 1)", f"{R1}: input is "),
        ("UPDATE tournament_choices SET choices = '[{}]' WHERE (round, number) = (1, 1)", f"{R1}: input is "),
        (
            "INSERT INTO tournament_choices VALUES ('copa', 9, 1, '[]')",
            "tournament_choices, row tournament copa, round 9, number 1: the log does not say so",
        ),
        (
            "UPDATE live_tables SET due_at = now() WHERE table_id = 'running'",
            "live_tables, row table running: due_at is",
        ),
        (
            "UPDATE live_tables SET guests = '{m}' WHERE table_id = 'lobby'",
            "live_tables, row table lobby: guests is ['m'], bu",
        ),
        (
            "UPDATE live_tables SET listed = false WHERE table_id = 'lobby'",
            "live_tables, row table lobby: listed is False",
        ),
        ("DELETE FROM live_tables WHERE table_id = 'running'", "live_tables, row table running: it is missing"),
    )
)
"""Changes to all tables that hold people's rights, names, numbers and pairings."""
