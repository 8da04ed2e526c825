"""Every stored name has bodies that were written once; they must decode for ever, and be written alike again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from golden_members import of_members
from golden_nights import of_nights
from golden_photos import of_photos
from golden_reviews import of_reviews
from golden_tables import of_tables
from golden_tournaments import of_tournaments

from league.domain import audit_trail, disputes, league, match, player, rulebook, series
from league.domain.hand import Closing, HandFacts
from league.domain.play import Turn
from league.domain.result import AnnouncedResult
from league.domain.rulebook import content_hash
from league.domain.rules import (
    BadgeRules,
    BoardRules,
    Bonuses,
    CountedTerm,
    DifferentialTerm,
    KFactors,
    Modifier,
    OverallRules,
    RatingRules,
    RecoveryBadge,
    RecoveryStep,
    Rulebook,
    Ruleset,
    SeriesRules,
    SingleTerm,
    StrengthTerm,
    UnbeatenMonth,
    UpsetBadge,
    VeteranRule,
)
from league.domain.timeline import EditionSpan
from league.domain.transcript import Transcript
from league.eventlog.codec import HAND_SECRETS, NAMES, PRIVATE, UNFOLDED, UPCASTERS, decode_body, encode_body, name_of

GOLDEN = Path(__file__).parent / "golden"
MARCH = datetime(2026, 3, 1, 20, 15, tzinfo=UTC)

SMALL_RULEBOOK = Rulebook(
    title="Golden",
    rulesets={
        "dominican-500-bonus": Ruleset(
            title="Dominican, 500 with bonus",
            description="As in the source text.",
            set="double-six",
            tiles_each=7,
            modes=("2v2",),
            scoring="points",
            target=500,
            block_winner="locker_vs_next",
            block_tie="starter",
            counted_pips="opponents",
            capicua="ends_equal",
            capicua_void_on=("double", "blank_half"),
            viajera_from=100,
            first_starter="starting_draw",
            next_starter="hand_winner",
            cannot_play="pass",
            shutout="off",
            reset="off",
            bonuses=Bonuses(opening_pass=25, pase_corrido=25, capicua=50, chuchazo=50, rounds=(100, 75, 50, 25)),
        )
    },
    rating=RatingRules(
        start=Decimal(1500),
        scale=400,
        expected="side_average",
        provisional_below=30,
        k=KFactors(
            casual=Decimal(10), provisional=Decimal(40), special=Decimal(40), veteran=Decimal(10), standard=Decimal(20)
        ),
        veteran=VeteranRule(matches=100, rating=Decimal(2000)),
        cap=Decimal("1.0"),
        modifier=Modifier(
            differential=DifferentialTerm(
                value=Decimal("0.05"), points=10, points_by_ruleset={"dominican-500-bonus": 25}
            ),
            pollona=SingleTerm(value=Decimal("0.2")),
            viajera=CountedTerm(value=Decimal("0.1"), count="match"),
            capicua=CountedTerm(value=Decimal("0.15"), count="hand"),
            capicua_blocks=CountedTerm(value=Decimal("0.1"), count="match"),
            recovery=(
                RecoveryStep(behind=50, value=Decimal("0.15")),
                RecoveryStep(behind=100, value=Decimal("0.25")),
            ),
            block_won=CountedTerm(value=Decimal("0.1"), count="match"),
            critical_block=SingleTerm(value=Decimal("0.1")),
            strength=StrengthTerm(value=Decimal("0.05"), gap=100),
        ),
        overall=OverallRules(main_weight=Decimal("0.6"), balanced_share=Decimal("0.55")),
    ),
    badges=BadgeRules(
        streak=(3, 5),
        matches=(10,),
        wins=(10,),
        pollonas=(1,),
        capicuas=(1,),
        viajeras=(1,),
        blocks=(10,),
        recoveries=(RecoveryBadge(behind=50, thresholds=(1, 10)),),
        rating=(1600,),
        upset=UpsetBadge(gap=300, thresholds=(1,)),
        month_won=(1, 3),
        unbeaten_month=UnbeatenMonth(games=10, thresholds=(1,)),
    ),
    series=SeriesRules(start=500, game_points=5, limit=4, pool=40, pool_from_game=2),
    boards=BoardRules(active_days=90, capicuas_per_hand_from=50),
)
CAPICUA = Closing((1, 4), fits_both_ends=True, ends_equal=True, blocks_too=False)
UNKNOWN = Closing(None, None, None, None)

EXPECTED: dict[str, list[Any]] = {
    "league-created/1": [league.LeagueCreated("Liga de La Habana", "America/Havana")],
    "settings-changed/1": [
        league.SettingsChanged(None, "UTC"),
        league.SettingsChanged("Liga", None),
        league.SettingsChanged(None, None, confirmation=True),
        league.SettingsChanged(None, None, colour="#b3261e", second_colour="", logo="ab01"),
    ],
    "month-closed/1": [league.MonthClosed("2026-03")],
    "month-reopened/1": [league.MonthReopened("2026-03")],
    "season-opened/1": [
        league.SeasonOpened("2026-spring", "Spring 2026", MARCH, None),
        league.SeasonOpened("2026-01", "January", MARCH, datetime(2026, 6, 1, 4, 0, 0, 250000, tzinfo=UTC)),
    ],
    "season-closed/1": [league.SeasonClosed("2026-spring", datetime(2026, 6, 1, 4, 0, 0, 250000, tzinfo=UTC))],
    "player-registered/1": [
        player.PlayerRegistered("Yolanda Peña", "Matanzas"),
        player.PlayerRegistered(None, None),
    ],
    "player-renamed/1": [player.PlayerRenamed("Yolanda Peña Ruiz"), player.PlayerRenamed(None)],
    "player-moved/1": [player.PlayerMoved("Camagüey"), player.PlayerMoved(None)],
    "player-erased/1": [player.PlayerErased()],
    "players-merged/1": [player.PlayersMerged("p017", "p042")],
    "merge-undone/1": [player.MergeUndone("p017", "p042")],
    "edition-published/1": [
        rulebook.EditionPublished(3, content_hash(SMALL_RULEBOOK), SMALL_RULEBOOK),
        rulebook.EditionPublished(3, content_hash(SMALL_RULEBOOK), SMALL_RULEBOOK, "Calmer"),
    ],
    "edition-adopted/1": [
        rulebook.EditionAdopted((EditionSpan(None, 1),)),
        rulebook.EditionAdopted((EditionSpan(None, 1), EditionSpan(MARCH, 2))),
    ],
    "match-opened/1": [
        match.MatchOpened(
            "cuban-150", "2v2", "competitive", ("p017", "p003", "p021", "p008"), ((3, 9), (5, 5), (0, 1), (2, 7))
        ),
        match.MatchOpened("chiva-4", "1v1", "special", ("p017", "p003"), None),
        match.MatchOpened("chiva-4", "1v1", "special", ("p017", "p003"), None, table=True),
    ],
    "match-taken-to-table/1": [
        match.MatchTakenToTable(((3, 9), (5, 5), (0, 1), (2, 7))),
        match.MatchTakenToTable(None),
    ],
    "hand-transcribed/1": [
        match.HandTranscribed(
            1,
            Transcript(
                (((9, 9), (0, 1)), ((4, 9), (2, 3))),
                (
                    Turn(0, (9, 9), None),
                    Turn(1, (9, 4), "left"),
                    Turn(0, (2, 5), "draw"),
                    Turn(0, None, None),
                    Turn(1, None, "timeout"),
                    Turn(0, (9, 1), "right"),
                ),
            ),
        )
    ],
    "bonus-recorded/1": [
        match.BonusRecorded(1, match.OpeningPass()),
        match.BonusRecorded(1, match.PaseCorrido(3)),
        match.BonusRecorded(2, match.ClosingTile(CAPICUA)),
        match.BonusRecorded(3, match.PaseCorrido(None, 1)),
    ],
    "hand-recorded/1": [
        match.HandRecorded(
            1, 0, "domino", 2, (((0, 2), (5, 5)), 12, (), None), Closing((1, 4), False, None, False), (), True, False
        ),
        match.HandRecorded(2, None, "block", None, (7, 12), None, None, False, True),
        match.HandRecorded(3, 1, "block", 0, (((3, 3),), 12), UNKNOWN, (0, 1), True, True),
        match.HandRecorded(
            4, None, "domino", None, (None,) * 4, UNKNOWN, (), False, False, (None, 35), 0, stated_capicua=False
        ),
    ],
    "hand-corrected/1": [
        match.HandCorrected(
            2, HandFacts(1, "block", None, (((0, 2), (5, 5)), 12), CAPICUA, True, (0, 0, 1), (1,)), "a six, not a five"
        ),
        match.HandCorrected(1, HandFacts(None, "domino", 0, ((), None), UNKNOWN, None, None, None), "?"),
        match.HandCorrected(1, HandFacts(None, "domino", 0, ((), None), UNKNOWN, None, None, None), "?", 1),
        match.HandCorrected(
            1,
            HandFacts(
                None,
                "domino",
                None,
                (None,) * 4,
                drew=(),
                side_leftover=(None, 35),
                side_corridos=(1, 2),
                stated_winner=0,
                stated_capicua=True,
            ),
            "the sheet was found",
        ),
    ],
    "match-ended/1": [
        match.MatchEnded(AnnouncedResult(0, (152, 87))),
        match.MatchEnded(AnnouncedResult(1, None)),
        match.MatchEnded(None),
        match.MatchEnded(None, MARCH),
    ],
    "match-reopened/1": [match.MatchReopened("they played on"), match.MatchReopened("they played on", 1)],
    "match-forfeited/1": [
        match.MatchForfeited(1),
        match.MatchForfeited(1, AnnouncedResult(0, (120, 150))),
        match.MatchForfeited(1, confirm_by=MARCH),
    ],
    "result-confirmed/1": [disputes.ResultConfirmed("p017")],
    "match-confirmed/1": [disputes.MatchConfirmed(by) for by in ("players", "admin", "time")],
    "result-disputed/1": [disputes.ResultDisputed(1, "p017", "it was 152 to 78")],
    "dispute-withdrawn/1": [disputes.DisputeWithdrawn(1)],
    "dispute-rejected/1": [disputes.DisputeRejected(2, "four saw it")],
    "match-entered/1": [series.MatchEntered("c-0042")],
    "match-voided/1": [match.MatchVoided("wrong players"), match.MatchVoided("wrong players", 2)],
    "token-made/1": [audit_trail.TokenMade("0b8a6c6e", "p017", ("player", "auditor"), MARCH)],
    "token-revoked/1": [audit_trail.TokenRevoked("0b8a6c6e")],
    "replay-started/1": [
        audit_trail.ReplayStarted(7, "9f86d081884c7d65", MARCH, None, None),
        audit_trail.ReplayStarted(8, None, None, None, MARCH),
        audit_trail.ReplayStarted(9, None, None, None, None, 412),
    ],
    "replay-shown/1": [
        audit_trail.ReplayShown(7, "Slower newcomers", "they climb too fast"),
        audit_trail.ReplayShown(9, None, "the old rules were better"),
    ],
    "replay-withdrawn/1": [audit_trail.ReplayWithdrawn(7, "nobody wants it")],
    "replay-cancelled/1": [audit_trail.ReplayCancelled(7)],
    "run-dropped/1": [audit_trail.RunDropped(3)],
    "run-promoted/1": [
        audit_trail.RunPromoted(4, 3),
        audit_trail.RunPromoted(7, 4, "Slower newcomers", "they climb too fast"),
        audit_trail.RunPromoted(8, 7, reason="as agreed", folded_to=803),
    ],
    "rolled-back/1": [
        audit_trail.RolledBack(1, 4),
        audit_trail.RolledBack(9, 7, None, "nobody liked it", 412),
        audit_trail.RolledBack(9, 8, restores=412, folded_to=811),
    ],
    "folder-imported/1": [audit_trail.FolderImported("cuban-2026", "9f86d081884c7d65", 40, 414, 3298)],
    "sheet-imported/1": [audit_trail.SheetImported("noviembre.xlsx", 8, 31, 214)],
    "head-requested/1": [audit_trail.HeadRequested("d75a980182b10ab7")],
    "rows-exported/1": [audit_trail.RowsExported("changes", "csv", 3), audit_trail.RowsExported("log", "jsonl", None)],
    **of_members(),
    **of_photos(),
    **of_nights(),
    **of_reviews(),
    **of_tournaments(),
    **of_tables(SMALL_RULEBOOK.rulesets["dominican-500-bonus"]),
}
"""The events in the bodies in `golden/`, in order."""


def golden(name: str) -> list[dict[str, Any]]:
    """The bodies that were stored under a name."""
    bodies: list[dict[str, Any]] = json.loads((GOLDEN / file_of(name)).read_text(encoding="utf-8"))
    return bodies


def file_of(name: str) -> str:
    return name.replace("/", "-") + ".json"


@pytest.mark.parametrize("name", [*NAMES, *UPCASTERS])
def test_a_stored_name_has_a_golden_file(name: str) -> None:
    """A new event, or a new version of one, is not finished before its golden file is written."""
    assert (GOLDEN / file_of(name)).exists()
    assert golden(name)


def test_a_golden_file_is_never_given_up() -> None:
    """Stored events stay readable: each file belongs to a name that can be decoded."""
    assert {path.name for path in GOLDEN.iterdir()} == {file_of(name) for name in (*NAMES, *UPCASTERS)}


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_body_decodes_to_its_event(name: str) -> None:
    """Bodies written by an earlier program say what they said then."""
    assert [decode_body(name, json.dumps(body).encode()) for body in golden(name)] == EXPECTED[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_event_is_written_as_its_golden_body(name: str) -> None:
    """Keys, nesting, and the spelling of numbers and times are those of the golden body."""
    for body, event in zip(golden(name), EXPECTED[name], strict=True):
        assert name_of(event) == name
        assert json.loads(encode_body(event), parse_float=Decimal) == json.loads(json.dumps(body), parse_float=Decimal)


def test_bodies_of_old_versions_decode_to_the_newest_events() -> None:
    """The upcasters lead every old name to a name that is still written."""
    for name in UPCASTERS:
        for body in golden(name):
            assert name_of(decode_body(name, json.dumps(body).encode())) in NAMES


def test_an_old_body_is_brought_forward_version_by_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each upcaster knows only the next version."""
    monkeypatch.setitem(UPCASTERS, "match-voided/-1", ("match-voided/0", lambda body: {"why": body["because"]}))
    monkeypatch.setitem(UPCASTERS, "match-voided/0", ("match-voided/1", lambda body: {"reason": body["why"]}))
    assert decode_body("match-voided/-1", b'{"because":"rain"}') == match.MatchVoided("rain")
    assert decode_body("match-voided/0", b'{"why":"rain"}') == match.MatchVoided("rain")


def test_every_event_has_one_name() -> None:
    """Literal names with a version, each for one kind of event."""
    assert len(set(NAMES.values())) == len(NAMES)
    for name in NAMES:
        kind, _, version = name.partition("/")
        assert kind == kind.lower()
        assert version.isdecimal()


def test_names_that_the_codec_treats_apart_exist() -> None:
    """Sealed fields and transcripts name stored names and fields that there are."""
    for name, fields in (PRIVATE | HAND_SECRETS).items():
        assert set(fields) <= {field.name for field in msgspec.structs.fields(NAMES[name])}
    assert set(UNFOLDED) <= set(NAMES)


def test_an_unknown_name_is_not_decoded() -> None:
    """An event of a newer program is an error, and never silently left out."""
    with pytest.raises(KeyError):
        decode_body("moon-landed/1", b"{}")
