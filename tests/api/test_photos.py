"""Photos over the API: uploaded, counted, settled, recorded with their hand, seen by some, erased."""

from __future__ import annotations

import io
import struct
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from api_server import Served, heard, served, subscribe, token
from hostile_files import jpeg_of_many_scans
from http_clients import http_client
from httpx import Response, Timeout, TimeoutException
from leagues import at, catch_up, found, league_at, own_database, send
from PIL import Image
from waiting import wait_until

from league.application.jobs import Jobs
from league.domain.match import OpenMatch
from league.infra.decoders import Decoders, DecodersBusy, WaitingFile
from league.infra.decoding import MB, DecodingProcess, PackedAnswer
from league.infra.photo_store import PhotoDamaged, PhotoStore, overlay_name, picture_name
from league.photos import photo_commands
from league.photos.photo_jobs import COUNTER, count_photo, picture_lock, remove_erased
from league.transfer.backup import write_backup
from league.transfer.backup_format import BackupReader
from league.transfer.restore import load_backup

pytestmark = pytest.mark.heavy

KEEPER, ADMIN, AUDITOR = token("scorekeeper"), token("admin"), token("auditor")
ANA, EVA = token("player", sub="ana"), token("player", sub="eva")
"""A player of the matches, and one who is not."""
TILES = Path(__file__).parents[1] / "vision" / "photos" / "pc_23.jpg"
SEEN = (
    "photoId matchId hand seat side status pips tiles isEvidence sha256 mediaType picturePath overlayPath position "
    "proposal { total confidence canTell reason tiles { tile a b confidence outline { x y } } }"
)
PHOTO = f"query ($id: ID!) {{ photo(id: $id) {{ id {SEEN} }} }}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the pictures are."""
    return str(tmp_path_factory.mktemp("photos"))


@pytest.fixture(scope="module")
def club(embedded_server: str, place: str) -> Iterator[Served]:
    """A served league with two open matches of two players under Cuban rules."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            for match in ("m1", "m2", "m3"):
                send(league, OpenMatch(match, "cuban-150", "1v1", "casual", ("ana", "bea"), played_at=at(0)))
            four = ("ana", "bea", "cira", "dora")
            send(league, OpenMatch("m4", "cuban-150", "2v2", "casual", four, played_at=at(0)))
            send(league, OpenMatch("m5", "cuban-150", "1v1", "casual", ("ana", "bea"), played_at=at(0)))
            send(league, OpenMatch("m6", "chiva-4", "1v1", "casual", ("ana", "bea"), played_at=at(0)))
            catch_up(league)
        with served(url, photos=place) as server:
            yield server


def picture(kind: str = "JPEG", size: tuple[int, int] = (320, 240), shade: int = 0, **more: Any) -> bytes:
    """A picture that no other test uploads, by its shade."""
    out = io.BytesIO()
    Image.new("RGB", size, (shade, 90, 60)).save(out, kind, **more)
    return out.getvalue()


def upload(club: Served, content: bytes, by: str | None = KEEPER, **fields: object) -> Response:
    """Send a form with a file."""
    named = {"match": "m1", "hand": 1, "seat": 1, **fields}
    data = {name: str(value) for name, value in named.items() if value is not None}
    headers = {} if by is None else {"Authorization": f"Bearer {by}"}
    return club.http.post("/photos", data=data, files={"file": ("a.jpg", content)}, headers=headers)


def counted(club: Served, place: str, content: bytes, **fields: object) -> str:
    """Upload a photo, and have it counted. Returns its id."""
    response = upload(club, content, **fields)
    assert response.status_code == 201, response.text
    photo: str = response.json()["photoId"]
    count_photo(club.league.database.url, place, photo)
    return photo


def get(club: Served, path: str, by: str | None) -> Response:
    return club.http.get(path, headers={} if by is None else {"Authorization": f"Bearer {by}"})


def seen(club: Served, photo: str, by: str | None = KEEPER) -> Any:
    return club.ask(PHOTO, by, id=photo)["photo"]


def attempts(club: Served, photo: str) -> int:
    """How many counts of a photo were begun."""
    with psycopg.connect(club.league.database.url) as conn:
        row = conn.execute("SELECT attempts FROM league.photos WHERE photo_id = %s", (photo,)).fetchone()
    assert row is not None
    return int(row[0])


SCORE = """query ($id: ID!, $facts: HandFactsInput, $photos: [ID!]) { photo(id: $id) {
  score(facts: $facts, photos: $photos) {
    ... on ScoredHand { winner points score }
    ... on UserError { code field } } } }"""


def scored(club: Served, photo: str, by: str, **given: Any) -> Any:
    """What the hand of a photo would score."""
    return club.ask(SCORE, by, id=photo, **given)["photo"]["score"]


def block(leftover: list[Any]) -> dict[str, Any]:
    return {"starter": 0, "ended": {"by": "BLOCK", "locker": 0}, "leftover": leftover}


def test_an_upload_waits_for_its_count(club: Served, place: str) -> None:
    """An upload answers at once; the picture is stored by the hash of its content, without metadata, and is counted."""
    exif = Image.Exif()
    exif[0x010F] = "MARK OF A PHONE"
    response = upload(club, picture(exif=exif.tobytes(), shade=1), match="m3")
    assert response.status_code == 201
    answer = response.json()
    stored = PhotoStore(place).picture(answer["sha256"])
    assert b"MARK OF A PHONE" not in stored
    shown = seen(club, answer["id"])
    assert (shown["status"], shown["proposal"], shown["overlayPath"]) == ("COUNTING", None, None)
    assert shown["position"] == answer["position"]
    count_photo(club.league.database.url, place, answer["photoId"])
    shown = seen(club, answer["photoId"])
    assert shown["status"] in ("PROPOSED", "UNCLEAR")
    assert shown["proposal"]["canTell"] == (shown["status"] == "PROPOSED")
    count_photo(club.league.database.url, place, answer["photoId"])  # again: nothing is added
    assert seen(club, answer["photoId"])["position"] == shown["position"]
    assert club.league.store.load(f"photo:{answer['photoId']}")[-1].actor == COUNTER


def test_from_a_photo_to_a_recorded_hand(club: Served, place: str) -> None:
    """A real photo is proposed, previewed, confirmed and recorded; the hand, the explanation and the trail show it."""
    photo = counted(club, place, TILES.read_bytes())
    shown = seen(club, photo, ANA)
    proposal = shown["proposal"]
    assert (shown["status"], proposal["total"]) == ("PROPOSED", 23)
    assert {tuple(read["tile"]) for read in proposal["tiles"]} == {(8, 8), (0, 7)}
    assert all(len(read["outline"]) >= 4 for read in proposal["tiles"])

    facts = block([{"pips": 10}, None])
    hand = {"match": "m1", "facts": facts, "photos": [shown["photoId"]]}
    preview = (
        "query ($input: PreviewInput!) { preview(input: $input) "
        "{ ... on Preview { hands { after { points } } } ... on UserError { message field } } }"
    )
    given = {"commands": [{"recordHand": hand}]}
    assert club.ask(preview, KEEPER, input=given)["preview"]["hands"] == [{"after": {"points": [23, 0]}}]

    assert scored(club, photo, ANA, facts=facts) == {"winner": 0, "points": [23, 0], "score": [23, 0]}
    assert scored(club, photo, ANA) is None  # no other fact is known
    wrong = scored(club, photo, ANA, facts=block([{"pips": 10}, {"pips": 22}]))
    assert (wrong["code"], wrong["field"]) == ("INVALID", ["photos", "0"])

    refused = club.do("recordHand", KEEPER, **hand)
    assert (refused["code"], refused["field"]) == ("COUNT_NOT_SETTLED", ["photos", "0"])
    confirmed = club.do("confirmPhoto", KEEPER, "... on PhotoSuccess { photo { status pips } }", photo=photo)
    assert confirmed["photo"] == {"status": "CONFIRMED", "pips": 23}
    fields = f"... on MatchSuccess {{ hand {{ points leftover {{ pips tiles }} photos {{ {SEEN} }} }} }}"
    recorded = club.do("recordHand", KEEPER, fields, **hand)
    assert recorded["__typename"] == "MatchSuccess", recorded
    assert recorded["hand"]["points"] == [23, 0]
    assert recorded["hand"]["leftover"][1] == {"pips": 23, "tiles": [[0, 7], [8, 8]]}
    assert [(one["photoId"], one["isEvidence"]) for one in recorded["hand"]["photos"]] == [(photo, True)]

    explained = '{ match(id: "m1") { hands { explanation { events { name } facts { name value } } } } }'
    explanation = club.ask(explained, KEEPER)["match"]["hands"][0]["explanation"]
    assert {"name": "photo", "value": photo} in explanation["facts"]
    assert "hand-photographed/1" in [event["name"] for event in explanation["events"]]
    trail = "{ trail(first: 3) { nodes { text event { name source } } } }"
    entries = {entry["event"]["name"]: entry for entry in club.ask(trail, AUDITOR)["trail"]["nodes"]}
    assert entries["hand-photographed/1"]["event"]["source"] == "PHOTO"
    assert photo in entries["hand-photographed/1"]["text"]

    other = counted(club, place, picture(shade=9), seat=0)
    club.do("correctPhotoCount", ANA, photo=other, pips=30)
    assert scored(club, other, ANA) == {"winner": 1, "points": [0, 30], "score": [0, 30]}  # the other facts hold


def test_a_proposal_is_corrected_tile_by_tile_or_typed(club: Served, place: str) -> None:
    """A person's count holds: other tiles, or only pips. A correction of the hand takes it as evidence."""
    one = counted(club, place, picture(shade=10), match="m2", seat=0)
    two = counted(club, place, picture(shade=11), match="m2", side=1, seat=None)
    fields = "... on PhotoSuccess { photo { status pips tiles } }"
    corrected = club.do("correctPhotoCount", ANA, fields, photo=one, tiles=[[9, 4], [0, 0]])
    assert corrected["photo"] == {"status": "CORRECTED", "pips": 13, "tiles": [[0, 0], [4, 9]]}
    typed = club.do("correctPhotoCount", KEEPER, fields, photo=two, pips=31)
    assert typed["photo"] == {"status": "TYPED", "pips": 31, "tiles": None}
    for wrong, field in (({"tiles": [[12, 12]]}, "tiles.0"), ({"tiles": [[1, 2], [2, 1]]}, "tiles.1"), ({}, "tiles")):
        refused = club.do("correctPhotoCount", KEEPER, photo=one, **wrong)
        assert (refused["code"], refused["field"]) == ("INVALID", field.split("."))

    given = {"match": "m2", "facts": block([None, {"pips": 30}]), "photos": [one, two]}
    refused = club.do("recordHand", KEEPER, **given)
    assert (refused["code"], refused["field"]) == ("INVALID", ["photos", "1"])  # 31 pips, and 30
    given["facts"] = block([None, None])
    recorded = club.do("recordHand", KEEPER, "... on MatchSuccess { hand { leftover { pips } } }", **given)
    assert [held["pips"] for held in recorded["hand"]["leftover"]] == [13, 31]
    late = counted(club, place, picture(shade=12), match="m2", seat=1)
    club.do("correctPhotoCount", KEEPER, photo=late, pips=32)
    fields = "... on MatchSuccess { hand { leftover { pips } photos { photoId isEvidence } } }"
    correction = {"match": "m2", "hand": 1, "facts": block([{"pips": 13}, None]), "reason": "recounted"}
    hand = club.do("correctHand", KEEPER, fields, **correction, photos=[late])["hand"]
    assert [held["pips"] for held in hand["leftover"]] == [13, 32]
    assert {one["photoId"] for one in hand["photos"] if one["isEvidence"]} == {late}


def test_a_photo_of_a_side_fills_in_its_pips(club: Served, place: str) -> None:
    """In a match of two against two a photo of a side, next to one of a seat; the score is shown before the record."""
    side = counted(club, place, TILES.read_bytes(), match="m4", seat=None, side=1)
    seat = counted(club, place, picture(shade=13), match="m4", seat=0)
    club.do("correctPhotoCount", ANA, photo=seat, tiles=[[1, 2]])
    facts = {"starter": 0, "ended": {"by": "DOMINO", "seat": 2}, "leftover": [None] * 4}
    assert scored(club, side, ANA, facts=facts, photos=[seat]) == {"winner": 0, "points": [23, 0], "score": [23, 0]}
    club.do("confirmPhoto", ANA, photo=side)
    fields = "... on MatchSuccess { hand { points sideLeftover leftover { pips } } }"
    hand = club.do("recordHand", ANA, fields, match="m4", facts=facts, photos=[seat, side])["hand"]
    assert (hand["points"], hand["sideLeftover"][1], hand["leftover"][0]["pips"]) == ([23, 0], 23, 3)


def test_a_tile_that_is_somewhere_else_is_not_proposed(club: Served, place: str) -> None:
    """A tile of another seat, or of no tile of the set, cannot be on the photo: a person is asked."""
    other = counted(club, place, picture(shade=14), match="m5", seat=0)
    club.do("correctPhotoCount", KEEPER, photo=other, tiles=[[8, 8]])
    for photo in (
        counted(club, place, TILES.read_bytes(), match="m5", seat=1),
        counted(club, place, TILES.read_bytes(), match="m6", seat=1),  # of a double-six set
    ):
        proposal = seen(club, photo)["proposal"]
        assert [8, 8] not in [read["tile"] for read in proposal["tiles"]] or not proposal["canTell"]
        assert proposal["total"] != 23
        assert "cannot be there" in proposal["reason"]


def test_a_photo_becomes_evidence_of_a_recorded_hand(club: Served, place: str) -> None:
    """A photo that shows what is recorded is added without a correction; pips and tiles of the same sum agree."""
    facts = block([{"tiles": [[0, 1]]}, {"pips": 40}])
    club.do("recordHand", KEEPER, match="m5", facts=facts)
    photo = counted(club, place, picture(shade=15), match="m5", seat=1)
    club.do("correctPhotoCount", KEEPER, photo=photo, pips=40)
    fields = "... on MatchSuccess { hand { leftover { pips } photos { photoId isEvidence } } }"
    given = {"match": "m5", "hand": 1, "facts": facts, "reason": "the photo came late"}
    assert club.do("correctHand", KEEPER, **given)["code"] == "INVALID"
    hand = club.do("correctHand", KEEPER, fields, **given, photos=[photo])["hand"]
    assert {"photoId": photo, "isEvidence": True} in hand["photos"]
    assert [type(one.event).__name__ for one in club.league.store.load("match:m5")][-1] == "HandPhotographed"
    club.do("correctPhotoCount", KEEPER, photo=photo, tiles=[[7, 9], [8, 9], [3, 4]])
    fields = "... on MatchSuccess { hand { leftover { pips tiles } } }"
    hand = club.do("correctHand", KEEPER, fields, **given, photos=[photo])["hand"]
    assert hand["leftover"][1] == {"pips": 40, "tiles": [[3, 4], [7, 9], [8, 9]]}


def test_who_may_see_a_photo(club: Served, place: str) -> None:
    """Scorekeepers, admins, auditors and the players of its match may see a photo and its picture; others may not."""
    photo = counted(club, place, picture(shade=20))
    path = f"/photos/{photo}"
    for by in (KEEPER, ADMIN, AUDITOR, ANA):
        assert seen(club, photo, by)["photoId"] == photo
        for address in (path, f"{path}/overlay"):
            response = get(club, address, by)
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("image/")
            assert response.headers["cache-control"] == "private, no-cache"
            assert "Authorization" in response.headers["vary"]
            known = {"If-None-Match": response.headers["etag"], "Authorization": f"Bearer {by}"}
            again = club.http.get(address, headers=known)
            assert (again.status_code, again.content) == (304, b"")
            assert club.http.get(address, headers={**known, "Authorization": f"Bearer {EVA}"}).status_code == 404
            assert response.headers["x-content-type-options"] == "nosniff"
    assert seen(club, photo, None) is None
    assert seen(club, photo, EVA) is None
    assert [get(club, path, by).status_code for by in (None, EVA, "nonsense")] == [401, 404, 401]
    for odd in ("%00", "..%2F..%2Fetc%2Fpasswd", "%2e%2e", "a" * 5000):
        for address in (f"/photos/{odd}", f"/photos/{odd}/overlay"):
            assert get(club, address, KEEPER).status_code == 404
    photos = '{ match(id: "m1") { photos { photoId } } }'
    assert club.ask(photos, None)["match"]["photos"] is None
    assert club.ask(photos, EVA)["match"]["photos"] is None
    assert {"photoId": photo} in club.ask(photos, ANA)["match"]["photos"]
    node = "query ($id: ID!) { node(id: $id) { __typename } }"
    assert club.ask(node, KEEPER, id=club.ask(PHOTO, KEEPER, id=photo)["photo"]["id"])["node"]["__typename"] == "Photo"
    assert upload(club, picture(shade=21), None).status_code == 401
    refused = upload(club, picture(shade=21), EVA)
    assert (refused.status_code, refused.json()["errors"][0]["extensions"]["code"]) == (403, "FORBIDDEN")
    assert upload(club, picture(shade=21), AUDITOR).status_code == 403
    assert club.do("confirmPhoto", EVA, photo=photo)["code"] == "FORBIDDEN"
    assert club.do("erasePhoto", KEEPER, photo=photo, reason="no")["code"] == "FORBIDDEN"


def large_png() -> bytes:
    """The header of a PNG of 100 million pixels, and nothing that could be decoded."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + chunk


@pytest.mark.parametrize(
    ("content", "fields", "code", "field"),
    [
        (b"not a picture", {}, "INVALID", "file"),
        (b"", {}, "INVALID", "file"),
        (picture()[:400], {}, "INVALID", "file"),
        (large_png(), {}, "INVALID", "file"),
        (picture("GIF"), {}, "INVALID", "file"),
        (picture("AVIF"), {}, "INVALID", "file"),
        (jpeg_of_many_scans(64, 12_000), {}, "INVALID", "file"),
        (b"x" * (11 * 1024 * 1024), {}, "TOO_LARGE", None),
        (picture(), {"match": "none"}, "NOT_FOUND", "match"),
        (picture(), {"match": None}, "INVALID", "match"),
        (picture(), {"match": "m3", "hand": 2}, "INVALID", "hand"),
        (picture(), {"hand": 0}, "INVALID", "hand"),
        (picture(), {"hand": "one"}, "INVALID", "hand"),
        (picture(), {"seat": 2}, "INVALID", "seat"),
        (picture(), {"seat": 1, "side": 1}, "INVALID", "seat"),
        (picture(), {"seat": None}, "INVALID", "seat"),
        (picture(), {"seat": None, "side": 2}, "INVALID", "side"),
        (picture(), {"table": 1}, "INVALID", "table"),
    ],
)
def test_a_bad_upload_is_refused(club: Served, content: bytes, fields: dict[str, Any], code: str, field: str) -> None:
    """Each fault has a code and names its field; nothing is stored."""
    head = club.league.store.head()
    response = upload(club, content, **{"match": "m3", **fields})
    error = response.json()["errors"][0]
    assert error["extensions"]["code"] == code, error
    assert error["extensions"].get("field") == (None if field is None else [field])
    assert response.status_code == {"TOO_LARGE": 413, "NOT_FOUND": 404}.get(code, 422)
    assert club.league.store.head() == head


def test_an_upload_that_finds_no_room_may_come_again(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status and header say so to any client, the code to ours; so does an upload that is a workbook."""
    monkeypatch.setattr(Decoders, "check_room", _no_room)
    sheet = club.http.post("/sheets", files={"file": b"PK"}, headers={"Authorization": f"Bearer {KEEPER}"})
    for response in (upload(club, picture()), sheet):
        assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
        extensions = response.json()["errors"][0]["extensions"]
        assert extensions == {"code": "UNAVAILABLE", "reason": "BUSY", "retryAfter": 10}


def _no_room(_decoders: Decoders, _size: int) -> None:
    raise DecodersBusy


def test_an_upload_whose_client_leaves_makes_room(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it waits, the server notices that the connection is closed, and drops its bytes."""
    places, most, may_end = set[int](), 0, threading.Event()
    answer, place = DecodingProcess.answer, Decoders.admit

    def held(process: DecodingProcess, *arguments: Any) -> PackedAnswer:
        may_end.wait(30)
        return answer(process, *arguments)

    @contextmanager
    def noted(decoders: Decoders, *arguments: Any) -> Iterator[WaitingFile]:
        nonlocal most
        with place(decoders, *arguments) as its:
            places.add(id(its))
            most = max(most, len(places))
            try:
                yield its
            finally:
                places.discard(id(its))

    monkeypatch.setattr(DecodingProcess, "answer", held)
    monkeypatch.setattr(Decoders, "admit", noted)
    with ThreadPoolExecutor(2) as threads:
        first = [threads.submit(upload, club, picture(shade=shade), match="m6") for shade in (31, 32)]
        wait_until(lambda: len(places) == 2)
        tracemalloc.start()
        given = {"data": {"match": "m6", "hand": "1", "seat": "1"}, "files": {"file": bytes(5 * MB)}}
        headers = {"Authorization": f"Bearer {KEEPER}"}
        with http_client(club.port) as impatient, pytest.raises(TimeoutException):
            impatient.post("/photos", headers=headers, timeout=Timeout(10, read=0.2), **given)  # type: ignore[arg-type]
        wait_until(lambda: most == 3 and len(places) == 2)
        del given
        wait_until(lambda: tracemalloc.get_traced_memory()[0] < 2 * MB)
        assert tracemalloc.get_traced_memory()[1] > 5 * MB
        tracemalloc.stop()
        may_end.set()
        assert [one.result().status_code for one in first] == [201, 201]


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "HEIF"])
def test_other_kinds_of_pictures_are_taken(club: Served, kind: str) -> None:
    """PNG, WebP and HEIC come out as pictures that a browser shows."""
    response = upload(club, picture(kind, shade=30), match="m3")
    assert response.status_code == 201, response.text
    assert response.json()["mediaType"] in ("image/jpeg", "image/png", "image/webp")


def test_the_same_key_stores_one_photo(club: Served) -> None:
    """A repeated key gives the first answer again if the input is equal, and is refused if it differs."""
    first = upload(club, picture(shade=40), match="m3", idempotencyKey="k1")
    again = upload(club, picture(shade=40), match="m3", idempotencyKey="k1")
    assert first.json() == again.json()
    other = upload(club, picture(shade=200), match="m3", idempotencyKey="k1")
    assert (other.status_code, other.json()["errors"][0]["extensions"]["code"]) == (409, "KEY_REUSED")


def test_a_hand_has_so_many_photos(club: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Further ones would fill the disk; one that is erased makes room for another."""
    photo = upload(club, picture(shade=45), match="m3").json()["photoId"]
    with psycopg.connect(club.league.database.url) as conn:
        there = conn.execute("SELECT FROM league.photos WHERE match_id = 'm3' AND hand = 1 AND NOT erased").rowcount
    monkeypatch.setattr(photo_commands, "MOST_OF_A_HAND", there)
    refused = upload(club, picture(shade=46), match="m3").json()["errors"][0]
    assert (refused["extensions"]["code"], refused["extensions"]["field"]) == ("ENOUGH_PHOTOS", ["hand"])
    club.do("erasePhoto", ADMIN, photo=photo, reason="blurred")
    assert upload(club, picture(shade=46), match="m3").status_code == 201


def test_who_watches_hears_of_the_proposal(club: Served, place: str) -> None:
    """A subscription tells when the proposal is there, when it is settled, and ends when the picture is erased."""
    photo = upload(club, picture(shade=50), match="m3").json()["photoId"]
    with club.socket(KEEPER) as socket:
        subscribe(socket, "subscription ($id: ID!) { photoChanged(id: $id) { status } }", id=photo)
        assert heard(socket)["photoChanged"]["status"] == "COUNTING"
        count_photo(club.league.database.url, place, photo)
        assert heard(socket)["photoChanged"]["status"] in ("PROPOSED", "UNCLEAR")
        club.do("correctPhotoCount", KEEPER, photo=photo, pips=3)
        assert heard(socket)["photoChanged"]["status"] == "TYPED"
        club.do("erasePhoto", ADMIN, photo=photo, reason="a face is on it")
        assert heard(socket)["photoChanged"]["status"] == "ERASED"


def test_an_erased_picture_is_gone_unless_another_photo_has_it(club: Served, place: str) -> None:
    """Erasing removes the overlay and the picture, but not one that another photo shares; hash and events stay."""
    url, store, content = club.league.database.url, PhotoStore(place), picture(shade=60)
    one, two = (counted(club, place, content, match="m3", seat=seat) for seat in (0, 1))
    sha256 = seen(club, one)["sha256"]
    club.do("erasePhoto", ADMIN, photo=one, reason="blurred")
    assert get(club, f"/photos/{one}", KEEPER).status_code == 404
    remove_erased(url, place)
    assert (store.get(overlay_name(one)), store.get(picture_name(sha256)) is None) == (None, False)
    assert get(club, f"/photos/{two}", KEEPER).status_code == 200
    club.do("erasePhoto", ADMIN, photo=two, reason="blurred")
    remove_erased(url, place)
    assert store.get(picture_name(sha256)) is None
    erased = seen(club, two)
    assert (erased["status"], erased["sha256"], erased["picturePath"]) == ("ERASED", sha256, None)
    assert club.do("confirmPhoto", KEEPER, photo=two)["code"] == "PHOTO_ERASED"


def test_a_refused_upload_leaves_no_picture(club: Served, place: str) -> None:
    """Neither a key that belongs to another form nor a repeated upload of an erased photo stores a picture."""
    store = PhotoStore(place)
    first = upload(club, picture(shade=61), match="m3", idempotencyKey="k2").json()
    before = set(store.names("pictures"))
    assert upload(club, picture(shade=201), match="m3", idempotencyKey="k2").status_code == 409
    assert set(store.names("pictures")) == before
    club.do("erasePhoto", ADMIN, photo=first["photoId"], reason="a face is on it")
    remove_erased(club.league.database.url, place)
    assert upload(club, picture(shade=61), match="m3", idempotencyKey="k2").json() == first
    assert store.get(picture_name(first["sha256"])) is None


def test_a_photo_that_is_erased_while_it_is_counted_leaves_no_overlay(club: Served, place: str) -> None:
    """The overlay is a copy of the picture, so it must not be stored after the picture was removed."""
    url, answer = club.league.database.url, upload(club, picture(shade=62), match="m3").json()
    photo = answer["photoId"]
    counting = threading.Thread(target=count_photo, args=(url, place, photo))
    with picture_lock(url, answer["sha256"]):  # so that the count cannot store its overlay yet
        counting.start()
        wait_until(lambda: attempts(club, photo) == 1)
        club.do("erasePhoto", ADMIN, photo=photo, reason="a face is on it")
    counting.join()
    assert seen(club, photo)["status"] == "ERASED"
    assert PhotoStore(place).get(overlay_name(photo)) is None


def test_pictures_go_through_a_backup(club: Served, place: str, database_url: str, tmp_path: Path) -> None:
    """A backup takes pictures and overlays along; restored, they are served as before. A changed one is found."""
    photo = counted(club, place, picture(shade=70), match="m3")
    erased = counted(club, place, picture(shade=75), match="m3")
    club.do("erasePhoto", ADMIN, photo=erased, reason="blurred")
    shown, file, restored = seen(club, photo), io.BytesIO(), str(tmp_path / "photos")
    remove_erased(club.league.database.url, place)
    write_backup(club.league.database.url, file, at(0), pictures=PhotoStore(place))
    file.seek(0)
    with BackupReader(file) as backup:
        load_backup(database_url, backup, pictures=PhotoStore(restored))
    with league_at(database_url) as league:
        catch_up(league)
    with served(database_url, photos=restored) as again:
        assert seen(again, photo)["sha256"] == shown["sha256"]
        for path in (shown["picturePath"], shown["overlayPath"]):
            assert get(again, path, KEEPER).content == get(club, path, KEEPER).content
        assert seen(again, erased)["status"] == "ERASED"
    PhotoStore(place).put(picture_name(shown["sha256"]), picture(shade=79))
    with pytest.raises(PhotoDamaged):
        write_backup(club.league.database.url, io.BytesIO(), at(0), pictures=PhotoStore(place))


def test_a_worker_counts_what_a_killed_process_left(club: Served, place: str) -> None:
    """A process that stored the photo and died before it was handed out, or counted, loses nothing."""
    photo = upload(club, picture(shade=80), match="m3").json()["photoId"]  # no worker runs
    with psycopg.connect(club.league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE league.photos SET attempts = 1 WHERE photo_id = %s", (photo,))  # a count died
    ended = threading.Event()
    jobs = Jobs(club.league.database.url, None, place)
    worker = threading.Thread(target=jobs.work, args=(ended.is_set,))
    worker.start()
    try:
        wait_until(lambda: seen(club, photo)["status"] != "COUNTING")
    finally:
        ended.set()
        worker.join()
    assert seen(club, photo)["proposal"] is not None


def test_a_count_that_keeps_dying_is_left_to_a_person(club: Served, place: str) -> None:
    """After some attempts the proposal says that the computer cannot tell; so does one of a picture that is missing."""
    dying, lost = (upload(club, picture(shade=shade), match="m3").json()["photoId"] for shade in (90, 95))
    with psycopg.connect(club.league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE league.photos SET attempts = 3 WHERE photo_id = %s", (dying,))
    PhotoStore(place).delete(picture_name(seen(club, lost)["sha256"]))
    for photo in (dying, lost):
        count_photo(club.league.database.url, place, photo)
        shown = seen(club, photo)
        assert (shown["status"], shown["proposal"]["canTell"]) == ("UNCLEAR", False)
        assert shown["proposal"]["reason"]
        assert club.do("confirmPhoto", KEEPER, photo=photo)["code"] == "NOTHING_PROPOSED"
