"""Files that cost far more than their bytes: pictures of four kinds, and workbooks. All are made here."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable

import pillow_heif
from openpyxl import Workbook
from PIL import Image


def jpeg_of_many_scans(side: int, scans: int) -> bytes:
    """A grey progressive JPEG of `side` x `side` pixels, each of whose scans says that nothing changes."""
    blocks = (-(-side // 8)) ** 2
    frame = struct.pack(">BHHBBBB", 8, side, side, 1, 1, 0x11, 0)
    one_symbol = bytes([1]) + bytes(15)  # a table of Huffman with a single code, of one bit
    head = (
        b"\xff\xd8"
        + _segment(0xDB, b"\x00" + bytes([1]) * 64)
        + _segment(0xC2, frame)
        + _segment(0xC4, b"\x00" + one_symbol + b"\x00")  # DC: no difference
        + _segment(0xC4, b"\x10" + one_symbol + b"\xe0")  # AC: the next 16384 to 32767 blocks have nothing
    )
    first = _segment(0xDA, b"\x01\x01\x00\x00\x00\x00") + bytes(-(-blocks // 8))
    runs = "".join(f"0{1:014b}" for _ in range(-(-blocks // 16385)))
    padded = runs + "1" * (-len(runs) % 8)
    bits = bytes(int(padded[at : at + 8], 2) for at in range(0, len(padded), 8)).replace(b"\xff", b"\xff\x00")
    scan = _segment(0xDA, b"\x01\x01\x00\x01\x3f\x00") + bits
    return head + first + scan * scans + b"\xff\xd9"


def _segment(kind: int, content: bytes) -> bytes:
    return bytes((0xFF, kind)) + (len(content) + 2).to_bytes(2) + content


def png_of_many_chunks(side: int, chunks: int) -> bytes:
    """A black PNG, whose pixels are in so many chunks: one byte of the packed pixels in each, nothing in most."""
    packed = zlib.compress(bytes((side // 8 + 1) * side), 9)
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + header + _chunk(b"IDAT", b"") * chunks + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def workbook_with(change: Callable[[bytes], bytes]) -> bytes:
    """A workbook with a small sheet, whose XML is changed."""
    book, out = Workbook(), io.BytesIO()
    assert book.active is not None
    for row in (["fecha", "lado 1", "lado 2"], ["14/11/2026", "Ana", "Luis"]):
        book.active.append(row)
    book.save(out)
    changed = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if "worksheets/" in name else content)
    return changed.getvalue()


def workbook_of_one_cell(size: int) -> bytes:
    """A workbook one of whose cells has a text of so many bytes."""
    cell = b'<c r="D2" t="inlineStr"><is><t>' + b"a" * size + b"</t></is></c></row>"
    return workbook_with(lambda xml: cell.join(xml.rsplit(b"</row>", 1)))


def workbook_of_attributes(count: int) -> bytes:
    """A workbook one of whose tags has so many attributes."""
    attributes = b"".join(b' a%d="1"' % number for number in range(count))
    return workbook_with(lambda xml: xml.replace(b"<sheetData", b"<sheetData" + attributes, 1))


def heic_of_noise(across: int, side: int = 512) -> bytes:
    """A HEIC of `across` x `across` tiles of `side` pixels, each of which has the same coded noise."""
    encoded = _heic(side)
    media = encoded.index(b"mdat") + 4
    coded = encoded[media : media - 8 + int.from_bytes(encoded[media - 8 : media - 4])]
    at = encoded.index(b"hvcC") - 4
    configuration = encoded[at : at + int.from_bytes(encoded[at : at + 4])]
    size = _full_box(b"ispe", struct.pack(">II", side, side))
    whole_size = _full_box(b"ispe", struct.pack(">II", side * across, side * across))
    grid = struct.pack(">BBBBHH", 0, 0, across - 1, across - 1, side * across, side * across)
    kind = _box(b"ftyp", b"heic" + bytes(4) + b"mif1heic")
    tiles = across * across
    whole, items = tiles + 1, range(1, tiles + 1)

    def meta(media_at: int) -> bytes:
        extents = [(item, media_at, len(coded)) for item in items] + [(whole, media_at + len(coded), len(grid))]
        places = b"".join(struct.pack(">HHHII", item, 0, 1, at, size) for item, at, size in extents)
        described = [_item(item, b"hvc1") for item in items] + [_item(whole, b"grid")]
        has = b"".join(struct.pack(">HBBB", item, 2, 0x81, 2) for item in items) + struct.pack(">HBB", whole, 1, 3)
        parts = (
            _full_box(b"hdlr", bytes(4) + b"pict" + bytes(13)),
            _full_box(b"pitm", struct.pack(">H", whole)),
            _full_box(b"iloc", b"\x44\x00" + struct.pack(">H", whole) + places),
            _full_box(b"iinf", struct.pack(">H", whole) + b"".join(described)),
            _full_box(b"iref", _box(b"dimg", struct.pack(f">HH{tiles}H", whole, tiles, *items))),
            _box(
                b"iprp",
                _box(b"ipco", configuration + size + whole_size) + _full_box(b"ipma", struct.pack(">I", whole) + has),
            ),
        )
        return _full_box(b"meta", b"".join(parts))

    begins_at = len(kind) + len(meta(0)) + 8
    return kind + meta(begins_at) + _box(b"mdat", coded + grid)


def _item(number: int, kind: bytes) -> bytes:
    return _full_box(b"infe", struct.pack(">HH", number, 0) + kind + b"\0", version=2)


def _heic(side: int) -> bytes:
    pillow_heif.register_heif_opener()
    out = io.BytesIO()
    noise = random.Random(1).randbytes(3 * side * side)
    Image.frombytes("RGB", (side, side), noise).save(out, "HEIF", quality=100)
    return out.getvalue()


def _box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content) + 8) + kind + content


def _full_box(kind: bytes, content: bytes, version: int = 0) -> bytes:
    return _box(kind, bytes((version, 0, 0, 0)) + content)
