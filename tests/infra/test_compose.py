"""docker-compose.yml: what it asks for, what it pins, how far each container can go, and how its health is seen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from waiting import LIMIT, wait_until

from league.cli.processes import stop_on_signal
from league.infra import settings
from league.infra.settings import BadSetting

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
REQUIRED = {"POSTGRES_PASSWORD", "PROGRAM_PASSWORD", "LEAGUE_SECRET", "LEAGUE_TABLE_SECRET", "LEAGUE_SIGNING_KEY"}
VARIABLE = re.compile(r"\$\{(\w+)(:[-?+])?([^}]*)\}")
PINNED = re.compile(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}")
PROGRAM = ("migrate", "api", "projector", "worker")


def test_no_secret_has_a_default_and_each_is_asked_for() -> None:
    """Without one nothing starts, and the message says what it is for. They are the variables that hold secrets."""
    found = {name: (how, text) for name, how, text in VARIABLE.findall(TEXT)}
    assert {name for name, (how, _) in found.items() if how == ":?"} == REQUIRED
    assert all(text.startswith("must be set") for name, (_, text) in found.items() if name in REQUIRED)
    secrets = {name for name in found if re.search("PASSWORD|SECRET|KEY", name)}
    assert secrets - REQUIRED == {"LEAGUE_OIDC_CLIENT_SECRET"}, "that one may be empty: there may be no provider"
    assert found["LEAGUE_OIDC_CLIENT_SECRET"] == (":-", "")


@pytest.mark.parametrize("service", SERVICES)
def test_each_container_is_confined(service: str) -> None:
    """It cannot change its own files, gain rights, or take the memory, processors and processes of the machine."""
    of = SERVICES[service]
    assert of["read_only"] is True
    assert of["cap_drop"] == ["ALL"]
    assert of["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\d+[mg]", of["mem_limit"])
    assert of["cpus"] > 0
    assert of["pids_limit"] > 0
    assert bool(of.get("cap_add")) == (service == "postgres")


@pytest.mark.parametrize("service", sorted(set(SERVICES) - {"migrate"}))
def test_each_service_that_stays_has_a_health_check(service: str) -> None:
    """With limits of time; `migrate` ends, and the others wait for that."""
    check = SERVICES[service]["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout", "retries"} <= set(check)
    for name in PROGRAM[1:]:
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_images_are_pinned_by_digest() -> None:
    """This covers other services' images and the base of the program's image; a variable may name another."""
    made_from = SERVICES["api"]["build"]["args"]["PYTHON_IMAGE"]
    images = [SERVICES["postgres"]["image"], SERVICES["redis"]["image"], made_from]
    defaults = [VARIABLE.fullmatch(image) for image in images]
    assert [default and bool(PINNED.fullmatch(default[3])) for default in defaults] == [True] * 3
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f"ARG PYTHON_IMAGE={defaults[2] and defaults[2][3]}\n" in dockerfile
    assert set(re.findall("^FROM (.*?)(?: AS .*)?$", dockerfile, re.MULTILINE)) == {"$PYTHON_IMAGE"}


def test_every_setting_is_passed_on() -> None:
    """Each that the program reads, but the folder of the embedded database; and the head of the file tells of each."""
    read = set(re.findall(r'"((?:LEAGUE|OTEL)_\w+)"', Path(settings.__file__).read_text(encoding="utf-8")))
    for service in ("api", "projector", "worker"):
        assert read - set(SERVICES[service]["environment"]) == {"LEAGUE_DATA_DIR"}
    head = TEXT.split("x-contained")[0]
    given = {name for name, _, _ in VARIABLE.findall(TEXT)} - set(re.findall(r"[A-Z]+(?:_[A-Z]+)+", head))
    assert given == set()


def test_photos_and_documents_have_a_place() -> None:
    """A volume and a folder of the machine, as the head of the file says; without a folder there are no documents."""
    for service in ("api", "worker"):
        assert "photos:/photos" in SERVICES[service]["volumes"]
        (documents,) = (one for one in SERVICES[service]["volumes"] if one.endswith(":/documents:ro"))
        assert VARIABLE.match(documents)
        assert SERVICES[service]["environment"]["LEAGUE_DOCUMENTS"] == "${LEAGUE_DOCUMENTS:+/documents}"
    assert "photos" in FILE["volumes"]


def test_the_image_has_what_it_is_made_of() -> None:
    """The files of the wheel, and the pinned packages of each extra of the image, are not left out."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]) <= kept
    extras = set(project["project"]["optional-dependencies"]) - {"embedded"}
    assert {f"requirements-{extra}.txt" for extra in extras} | {"requirements.txt"} <= kept
    assert all((ROOT / name).exists() for name in kept)
    assert SERVICES["api"]["build"]["args"]["EXTRAS"] == "${LEAGUE_EXTRAS:-}"
    assert 'ARG EXTRAS=""\n' in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    told = next(line for line in TEXT.splitlines() if line.startswith("#   LEAGUE_EXTRAS"))
    assert set(re.findall(r"`(\w+)`", told)) == extras


def test_where_files_are_decoded_there_is_memory_for_it() -> None:
    """Two at once, of at most 900 MB each: the API decodes uploads, the worker counts photos."""
    assert {SERVICES[name]["mem_limit"] for name in ("api", "worker")} == {"2g"}


def test_only_migrate_knows_the_superuser() -> None:
    """Every other process of the program goes by the login, which the database makes when its volume is empty."""
    users = {
        name: SERVICES[name]["environment"]["LEAGUE_DATABASE_URL"].split("//")[1].split(":")[0] for name in PROGRAM
    }
    assert users == dict.fromkeys(PROGRAM, "league_program") | {"migrate": "postgres"}
    knows = {
        name
        for name, of in SERVICES.items()
        if "POSTGRES_PASSWORD" in str(of["environment" if name != "redis" else "image"])
    }
    assert knows == {"postgres", "migrate"}
    assert "./docker-compose.login.sql:/docker-entrypoint-initdb.d/login.sql:ro" in SERVICES["postgres"]["volumes"]


def is_healthy(alive: Path) -> bool:
    """The result of the health check of `projector` and `worker` for this file."""
    assert SERVICES["projector"]["healthcheck"] == SERVICES["worker"]["healthcheck"]
    where = SERVICES["projector"]["environment"]["LEAGUE_ALIVE_FILE"]
    kind, command = SERVICES["projector"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    assert where in command
    return (
        subprocess.run(["sh", "-c", command.replace(where, str(alive))], check=False, capture_output=True).returncode
        == 0
    )


@pytest.mark.parametrize("command", ["project", "worker"])
def test_the_health_check_sees_whether_the_loop_turns(database_url: str, tmp_path: Path, command: str) -> None:
    """Unhealthy before the start and while the file grows old; healthy again after the next turn of the loop."""
    alive = tmp_path / "alive"
    assert not is_healthy(alive)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    environment |= {"LEAGUE_DATABASE_URL": database_url, "LEAGUE_ALIVE_FILE": str(alive)}
    process = subprocess.Popen([sys.executable, "-m", "league", command], env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_healthy(alive))
        os.utime(alive, (0, 0))
        wait_until(lambda: is_healthy(alive))
    finally:
        process.terminate()
        process.wait(LIMIT)
    os.utime(alive, (0, 0))
    assert not is_healthy(alive)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """At the start, as every setting is."""
    with (
        pytest.raises(BadSetting, match="LEAGUE_ALIVE_FILE: cannot be written"),
        stop_on_signal(tmp_path / "no" / "it"),
    ):
        pass
