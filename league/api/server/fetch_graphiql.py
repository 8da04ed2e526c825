"""Fetch the files of GraphiQL that the package carries, from the npm packages that its files.toml names.

A newer version: write its number into files.toml, run this, copy the hashes that it prints, run it again, and look
at the files.
"""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

FILES = Path(__file__).parent / "graphiql"


def main() -> None:
    """Write the files. Writes nothing and fails if one of them is not the pinned one, or lacks a notice."""
    fetched: dict[str, bytes] = {}
    hashes: dict[str, str] = {}
    for package, pinned in tomllib.loads((FILES / "files.toml").read_text(encoding="utf-8")).items():
        with tempfile.TemporaryDirectory() as folder:
            command = ["npm", "pack", "--silent", f"{package}@{pinned['version']}"]
            packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
            with tarfile.open(Path(folder) / packed) as archive:
                for file in pinned["files"]:
                    fetched[file["name"]] = _content(archive, file["path"])
                    hashes[file["name"]] = file["sha256"]
                if package == "graphiql":
                    _check_notices(_content(archive, "graphiql.min.js.map"))
    replace_files(FILES, fetched, hashes)


def replace_files(folder: Path, fetched: Mapping[str, bytes], hashes: Mapping[str, str]) -> None:
    """Write the files into the folder. If one has another SHA-256, write none and exit with the hashes found."""
    found = {name: hashlib.sha256(content).hexdigest() for name, content in fetched.items()}
    differing = [f"{name}: {found[name]}" for name in found if found[name] != hashes[name]]
    if differing:
        sys.exit("Nothing was written. These are not the pinned files:\n" + "\n".join(differing))
    for name, content in fetched.items():
        (folder / name).write_bytes(content)


def _check_notices(source_map: bytes) -> None:
    """Exit unless NOTICES names each package whose code is in the script."""
    sources = "\n".join(json.loads(source_map)["sources"])
    bundled = set(re.findall(r"node_modules/((?:@[^/\n]+/)?[^/\n]+)/(?!.*node_modules)", sources))
    named = set(re.findall(r"^  ([^ :]+): ", (FILES / "NOTICES").read_text(encoding="utf-8"), re.MULTILINE))
    if bundled - named:
        sys.exit("Nothing was written. NOTICES does not name " + ", ".join(sorted(bundled - named)))


def _content(archive: tarfile.TarFile, path: str) -> bytes:
    member = archive.extractfile(f"package/{path}")
    assert member is not None, f"the package has no {path}"
    return member.read()


if __name__ == "__main__":
    main()
