"""The page that checks proofs, in a browser: from a server, from a disk, and where browsers offer no cryptography."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import INSECURE, Tab
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from leagues import announced, block, catch_up, domino, played, send
from msgspec.structs import replace
from playwright.sync_api import FilePayload, Page, expect
from proof_files import PUBLIC, SignedLog, written
from signed_leagues import SEED, heads_of, unsigned_league

from league.audit.proofs import BadProof, check_proof
from league.audit.signed_heads import LogHead, as_json, public_pem, raw, read_private_key
from league.cli.proofs import prove_match
from league.console.checker_page import PAGE, policy_for, with_policy
from league.console.fetch_noble import VERSIONS

KEY = read_private_key(SEED)
HEX = raw(KEY.public_key()).hex()
POSITIONS = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, embedded_server: str) -> Path:
    """The page, and the proof and the heads of a match that was recorded hand by hand and corrected."""
    made = tmp_path_factory.mktemp("kept")
    (made / "check-proof.html").write_bytes(PAGE.read_bytes())
    with unsigned_league(embedded_server) as league:
        hands = [domino(0, (), 35, 4, None, both=True), block(1, 5, ((0, 1), (2, 2)), 30, 41)]
        send(league, played("m1", ("ana", "bea", "cira", "dora"), 0, *hands))
        catch_up(league)
        league.sign_head()
        (made / "early.json").write_bytes(written(heads_of(league)[0]))
        send(league, announced("m2", ("ana", "bea"), 3))
        catch_up(league)
        league.sign_head()
        prove_match(league, "m1", made / "proof.json", [], as_json=False)
    return made


@pytest.fixture(scope="module")
def proof(folder: Path) -> bytes:
    return (folder / "proof.json").read_bytes()


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """The folder, served by a plain file server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def page(tab: Tab, port: int) -> Iterator[Page]:
    """The page, opened from a server on this machine; nothing that a test does with it is refused by its policy."""
    tab.page.goto(f"http://127.0.0.1:{port}/check-proof.html#lang=en")
    yield tab.page
    assert tab.said == []


def give(page: Page, proof: bytes | Path, key: str = HEX) -> None:
    """Choose the file of a proof, and paste a key."""
    page.get_by_label("The key that you trust", exact=True).fill(key)
    if isinstance(proof, bytes):
        given: FilePayload | Path = {"name": "proof.json", "mimeType": "application/json", "buffer": proof}
    else:
        given = proof
    page.get_by_label("Choose files").set_input_files(given)


def expect_verdict(page: Page, wanted: str) -> None:
    expect(page.locator("#result")).to_have_attribute("data-verdict", wanted)


def refuses(page: Page, step: str, *words: str) -> None:
    """The page says which step failed, and why."""
    expect_verdict(page, "bad")
    expect(page.locator("[data-how=failed]")).to_have_attribute("data-step", step)
    for word in words:
        expect(page.locator("#reason")).to_contain_text(word)


@pytest.mark.parametrize("place", ["http", "file", "insecure"])
def test_a_match_is_proved(tab: Tab, folder: Path, port: int, proof: bytes, place: str) -> None:
    """This works from a server and from a disk, with the browser's signatures or, if it has none, with the page's."""
    addresses = {
        "http": f"http://127.0.0.1:{port}/check-proof.html",
        "file": (folder / "check-proof.html").as_uri(),
        "insecure": f"http://{INSECURE}:{port}/check-proof.html",
    }
    tab.page.goto(addresses[place] + "#lang=en")
    assert tab.page.evaluate("isSecureContext && !!crypto.subtle") == (place != "insecure")
    give(tab.page, proof)
    expect_verdict(tab.page, "good")
    expect(tab.page.get_by_role("heading", name="the log contains all of this")).to_be_focused()
    expect(tab.page.locator("#signed-by")).to_contain_text("itself" if place == "insecure" else "WebCrypto")
    give(tab.page, proof.replace(b'"version": 2', b'"version": 3'))
    refuses(tab.page, "hashes")
    give(tab.page, proof, raw(Ed25519PrivateKey.generate().public_key()).hex())
    refuses(tab.page, "key", HEX)
    (at,) = [place for place, line in enumerate(proof.splitlines()) if b'"signature"' in line]
    lines = proof.splitlines(keepends=True)
    lines[at] = lines[at].translate(bytes.maketrans(b"0123456789", b"1234567890"))
    give(tab.page, b"".join(lines))
    refuses(tab.page, "signature", HEX)
    assert tab.said == []
    assert {address.partition("#")[0] for address in tab.asked} <= {addresses[place], "data:,"}


def test_the_page_says_what_is_proved(page: Page, proof: bytes) -> None:
    """The match, its seats, its hands as facts and its events with positions and hashes, in both languages."""
    give(page, proof, public_pem(KEY))
    shown = page.locator("#events")
    for words in (
        "Match m1", "cuban-150, 2v2, competitive", "Seat 2: cira", "Hand 1: seat 0 (ana) went out.",
        "seat 0 (ana) was left with: no tile.", "seat 1 (bea) was left with: 35 pips.", "It could go on either end.",
        "seat 3 (dora) was left with: not known.", "Hand 2: seat 1 (bea) locked the game.",
        "seat 1 (bea) was left with: 0-1 2-2 (5 pips).",
        "holds names only encrypted", "no correction came later",
    ):  # fmt: skip
        expect(shown).to_contain_text(words)
    entries = check_proof(proof, [bytes.fromhex(HEX)], datetime.now(UTC))[1]
    assert [one.position for one in entries] == [
        int(item.get_attribute("data-position") or 0) for item in shown.locator("li[data-position]").all()
    ]
    for one in json.loads(proof)["events"]:
        expect(shown).to_contain_text(one["event"]["hash"])
        expect(shown).to_contain_text(one["before"])
    page.get_by_role("button", name="Español").click()
    expect(page.get_by_role("heading", name="Vale: el registro contiene todo esto")).to_be_visible()
    expect(shown).to_contain_text("Mano 2: trancó el puesto 1 (bea).")
    expect(shown).to_contain_text("el puesto 1 (bea) se quedó con: 0-1 2-2 (5 puntos).")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    assert page.get_by_role("button", name="Español").get_attribute("aria-pressed") == "true"


def test_the_page_and_the_program_agree(page: Page, proof: bytes, rng: Random) -> None:
    """A digit or letter is changed at each of many places of the file: both accept the file, or neither does."""
    trusted, variants = [bytes.fromhex(HEX)], list[str]()
    for place in rng.sample(range(len(proof)), POSITIONS):
        put = rng.choice([one for one in b"0123456789abcdef" if one != proof[place]])
        variants.append((proof[:place] + bytes([put]) + proof[place + 1 :]).decode())
    variants.append(proof.decode())
    give(page, proof)
    # What a visitor does by hand, so often: put the text of a proof into the field, and press the button.
    verdicts = page.evaluate(
        """async (variants) => {
          const [field, found] = [document.getElementById("proof"), []];
          for (const variant of variants) {
            field.value = variant;
            field.dispatchEvent(new Event("input"));
            document.getElementById("check").click();
            while (!document.getElementById("result")) await new Promise((done) => setTimeout(done));
            found.push(document.getElementById("result").dataset.verdict);
          }
          return found;
        }""",
        variants,
    )
    expected = ["good" if holds(variant.encode(), trusted) else "bad" for variant in variants]
    wrong = [variant for variant, one, other in zip(variants, verdicts, expected, strict=True) if one != other]
    assert not wrong
    assert verdicts[-1] == "good"


def holds(file: bytes, trusted: list[bytes]) -> bool:
    try:
        return bool(check_proof(file, trusted, datetime.now(UTC)))
    except BadProof:
        return False


def test_what_is_no_proof_is_refused_where_it_fails(page: Page, proof: bytes, tmp_path: Path) -> None:
    """Examples are a repeated field, a cut file, bytes that are no text, deep nesting, and too much of anything."""
    give(page, proof.replace(b'"position"', b'"position": 1, "position"', 1))
    refuses(page, "notation", "Line 4", '"hash"', "$.head")
    give(page, proof[: len(proof) // 2])
    refuses(page, "notation")
    give(page, b"\xff\xfe" + proof)
    refuses(page, "notation", "UTF-8")
    give(page, b"[" * 1_000_000)
    refuses(page, "notation", "Line 1, column 1")
    large = tmp_path / "large.json"
    large.write_bytes(padded := proof.rstrip() + b" " * 10_000_000)
    give(page, large)
    expect_verdict(page, "good")
    expect(page.locator("#loaded")).to_contain_text(f"large.json, {len(padded)} bytes")
    large.write_bytes(padded + b"x")
    give(page, large)
    refuses(page, "notation", "the end of the file")
    large.write_bytes(b"x" * (33 * 2**20))
    give(page, large)
    expect(page.locator("#proof-fault")).to_contain_text("larger than 32 MB")
    expect(page.locator("#result")).to_have_count(0)


def test_a_proof_of_many_events_is_checked(page: Page) -> None:
    """The file has ten megabytes. The page shows the first events, and the others when asked."""
    log = SignedLog([b'{"actor":"kim","source":"import","body":{"note":"%s"}}' % (b"x" * 6_000)] * 1_000)
    file = log.proof(1, 1_000)
    assert len(file) > 8_000_000
    give(page, file, PUBLIC.hex())
    expect_verdict(page, "good")
    expect(page.locator("li[data-position]")).to_have_count(200)
    page.get_by_role("button", name="800 more events").click()
    expect(page.locator("li[data-position]")).to_have_count(1_000)


def test_a_verdict_is_about_what_is_there(page: Page, proof: bytes) -> None:
    """A check that ends after the visitor has chosen another file says nothing about that file."""
    field = page.get_by_label("The text of the proof")
    page.get_by_label("The key that you trust", exact=True).fill(PUBLIC.hex())
    field.fill(SignedLog([b"{}"] * 300).proof(1, 300).decode())
    page.evaluate(
        """() => {
          window.seenVerdicts = [];
          new MutationObserver(() => {
            const result = document.getElementById("result");
            if (result) window.seenVerdicts.push(result.dataset.verdict);
          }).observe(document.getElementById("verdict"), { childList: true });
          document.getElementById("check").click();
          const field = document.getElementById("proof");
          field.value = "{}";
          field.dispatchEvent(new Event("input"));
          document.getElementById("check").click();
        }"""
    )
    expect_verdict(page, "bad")
    assert page.evaluate("window.seenVerdicts") == ["bad"]
    drop(page, proof)
    refuses(page, "key")


def drop(page: Page, file: bytes) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.json"));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        file.decode(),
    )
    expect(page.locator("#loaded")).to_contain_text("dropped.json")


MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202e&amp;{name}'


def test_markup_in_a_proof_does_not_run(page: Page) -> None:
    """This holds for all texts of a genuine proof, and for files that are no proofs or keys."""
    body = {"ruleset": MARKUP, "mode": MARKUP, "competition": MARKUP, "seats": [MARKUP, "bea"], "starting_draw": None}
    states = [{"actor": MARKUP, "source": MARKUP, "key": MARKUP, "played_at": MARKUP, "body": body}]
    log = SignedLog(
        [*map(msgspec.json.encode, states), b"no JSON <b>", b'{"body":{"seats":7}}'],
        f"match:{MARKUP}",
        "match-opened/1",
    )
    give(page, log.proof(1, 3), PUBLIC.hex())
    expect_verdict(page, "good")
    expect(page.locator("#events")).to_contain_text(MARKUP)
    assert page.locator("#verdict img, #verdict script, #verdict b").count() == 0
    give(page, MARKUP.encode())
    refuses(page, "notation", MARKUP[:20])
    page.get_by_label("The key that you trust", exact=True).fill(MARKUP)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#key-fault")).to_contain_text("<img src=x")
    expect(page.get_by_label("The key that you trust", exact=True)).to_be_focused()
    assert page.title() == "Check a proof of the league"


def test_keys_and_heads_are_remembered_and_a_changed_key_is_shouted(page: Page, proof: bytes) -> None:
    """Once the visitor asks to remember them, another key is an alarm, and a second history is refused."""
    page.get_by_label("Remember the key").check()
    give(page, proof)
    expect_verdict(page, "good")
    page.reload()
    key = page.get_by_label("The key that you trust", exact=True)
    expect(key).to_have_value(HEX)
    expect(page.locator("#pins")).to_contain_text("1 signed head, of position")
    log = SignedLog([b"{}"] * check_proof(proof, [bytes.fromhex(HEX)], datetime.now(UTC))[0].position)
    give(page, log.proof(1, 1), PUBLIC.hex())
    expect_verdict(page, "warn")
    expect(page.get_by_role("alert").filter(has_text="This is not the key that you keep")).to_contain_text(HEX)
    page.reload()
    expect(key).to_have_value(HEX)
    give(page, log.proof(1, 1), PUBLIC.hex())
    page.get_by_role("button", name="Keep this key, too").click()
    expect_verdict(page, "good")
    page.reload()
    expect(key).to_have_value(f"{HEX}\n{PUBLIC.hex()}")
    give(page, SignedLog([b"[]"] * len(log.events)).proof(1, 1), PUBLIC.hex())
    refuses(page, "kept", "two different logs")
    page.get_by_role("button", name="Forget them").click()
    expect(page.locator("#pins")).to_contain_text("forgotten")
    page.reload()
    expect(key).to_have_value("")


def test_heads_that_were_kept_count(page: Page, folder: Path, proof: bytes) -> None:
    """Files are recognised by their content. An earlier head is a note; growth leads from it to the new one."""
    early = (folder / "early.json").read_bytes()
    files = {"key.pem": public_pem(KEY).encode(), "early.json": early, "proof.json": proof}
    page.get_by_label("Choose files").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files.items()]
    )
    expect_verdict(page, "good")
    expect(page.locator("#verdict .warn")).to_contain_text("league heads prove")
    page.locator("textarea#heads").fill(early.decode().replace('"position":1', '"position":2', 1))
    expect(page.locator("#result")).to_have_count(0)
    page.get_by_role("button", name="Check").click()
    refuses(page, "kept", "not what its key signed")
    log = SignedLog([b"{}"] * 9)
    page.locator("textarea#heads").fill(written(log.head(3)).decode())
    give(page, log.growth(3, 9), PUBLIC.hex())
    expect(page.get_by_role("heading", name="the log only grew")).to_be_visible()
    page.locator("textarea#heads").fill("")
    page.get_by_role("button", name="Check").click()
    refuses(page, "kept", "You gave no head")


def test_heads_alone_are_checked(page: Page) -> None:
    """Heads are checked with the trusted key, and against the heads that this browser remembers."""
    log, heads = SignedLog([b"{}"] * 9), page.locator("textarea#heads")
    page.get_by_label("The key that you trust", exact=True).fill(PUBLIC.hex())
    page.get_by_label("Remember the key").check()
    page.locator("#heads-box summary").click()

    def check(*given: LogHead) -> None:
        heads.fill(msgspec.json.encode([as_json(one) for one in given]).decode())
        page.get_by_role("button", name="Check").click()

    check(log.head(3), log.head(8))
    expect_verdict(page, "good")
    expect(page.locator("#result")).to_contain_text("2 by keys that you trust. The last one signs position 8")
    expect(page.locator("#pins")).to_contain_text("up to position 8")
    check(log.head(3))
    expect(page.locator("#verdict .warn")).to_contain_text("You keep a head of position 8, which is later")
    check(replace(log.head(9), position=7))
    refuses(page, "signature")
    check(replace(log.head(9), key=bytes.fromhex(HEX)))
    refuses(page, "key")
    check(SignedLog([b"[]"] * 9).head(8))
    refuses(page, "kept", "two different logs")


def test_a_link_brings_a_proof_but_no_key(tab: Tab, port: int) -> None:
    """A proof is loaded only from the same server, and the visitor must bring the key."""
    at = f"http://127.0.0.1:{port}/check-proof.html#lang=es&key={HEX}&proof="
    tab.page.goto(at + "proof.json")
    expect(tab.page.locator("#loaded")).to_contain_text("proof.json")
    expect(tab.page.locator("#key")).to_have_value("")
    tab.page.get_by_role("button", name="Comprobar").click()
    expect(tab.page.locator("#key-fault")).to_contain_text("Pegue la clave")
    tab.page.locator("#key").fill(HEX)
    tab.page.get_by_role("button", name="Comprobar").click()
    expect_verdict(tab.page, "good")
    tab.page.goto("about:blank")
    tab.page.goto(at + f"http://localhost:{port}/proof.json")
    expect(tab.page.locator("#proof-fault")).to_contain_text("otro servidor")
    tab.page.goto("about:blank")
    tab.page.goto(at + "not-there.json")
    expect(tab.page.locator("#proof-fault")).to_contain_text("No se pudo traer")
    assert not [address for address in tab.asked if address.startswith("http://localhost")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(page: Page, proof: bytes, scheme: Literal["light", "dark"]) -> None:
    """On a narrow phone, in both schemes, with a verdict of either kind: axe finds nothing, and nothing overflows."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 320, "height": 640})
    page.locator("#heads-box summary").click()
    for given in (proof, proof[:-30]):
        give(page, given)
        expect_verdict(page, "good" if given == proof else "bad")
        for summary in page.locator("#events summary").all():
            summary.click()
        assert [fault["id"] for fault in Axe().run(page).response["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_the_page_holds_its_policy() -> None:
    """It has the hashes of its scripts and its style. After a change, run python -m league.console.checker_page."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_policy(page) == page
    assert "unsafe" not in policy_for(page)
    assert len(page.encode()) < 200_000
    for package, version in VERSIONS.items():
        assert f"/* {package} {version}, " in page
        assert (PAGE.parent / "licences" / f"{package[1:].replace('/', '-')}.txt").read_text().startswith("The MIT")
