"""Fetch the files of GraphiQL that the package carries, from the npm packages that its files.toml names.

A newer version: write its number into files.toml, run this, look at the files, and copy the hashes that
it prints.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

FILES = Path(__file__).parent.parent / "league" / "api" / "server" / "graphiql"


def main() -> None:
    """Write the files. Fails if one of them is not the pinned one."""
    differing = []
    for package, pinned in tomllib.loads((FILES / "files.toml").read_text(encoding="utf-8")).items():
        with tempfile.TemporaryDirectory() as folder:
            command = ["npm", "pack", "--silent", f"{package}@{pinned['version']}"]
            packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
            with tarfile.open(Path(folder) / packed) as archive:
                for file in pinned["files"]:
                    member = archive.extractfile(f"package/{file['path']}")
                    assert member is not None, f"{package} has no {file['path']}"
                    content = member.read()
                    (FILES / file["name"]).write_bytes(content)
                    found = hashlib.sha256(content).hexdigest()
                    if found != file["sha256"]:
                        differing.append(f"{file['name']}: {found}")
    if differing:
        sys.exit("These are not the pinned files:\n" + "\n".join(differing))


if __name__ == "__main__":
    main()
