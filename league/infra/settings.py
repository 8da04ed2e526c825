"""The settings of the program, which are read once from the environment. No module reads them on import."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from league.domain.sentences import LANGUAGES, Language, say

# RFC 7518 3.2: a key of HS256 has at least the 256 bits of its hash.
SHORTEST_SECRET = 32
HIGHEST_RATE_LIMIT = 10**9
LONGEST_AI_PAUSE = 5
"""Limit on an AI's pause in seconds. After twice as long the clock plays for the AI."""
THIS_MACHINE = ("127.0.0.1", "::1")
POSTGRESQL = ("postgresql", "postgres")
LOG_LEVELS = ("debug", "info", "warning", "error")


class BadSetting(Exception):
    """An environment variable has an invalid value."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(say("{variable}: {reason}", variable=variable, reason=reason))
        self.variable = variable
        self.reason = reason


class IdentityProvider(msgspec.Struct, frozen=True):
    """An identity provider, and the client as which the league is registered with it."""

    issuer: str
    client_id: str
    client_secret: str
    name: str
    """The name of the provider for people."""


class Settings(msgspec.Struct, frozen=True):
    """Everything that an operator can configure. `from_environment` shows the variables."""

    database_url: str | None = None
    read_urls: tuple[str, ...] = ()
    """Streaming replicas of the database."""
    data_dir: Path = Path("league-data")
    broker_url: str | None = None
    photos: str | None = None
    """The place of stored photos: a folder, or the URL of a bucket."""
    secret: str | None = None
    table_secret: str | None = None
    signing_key: str | None = None
    jwks_url: str | None = None
    public_url: str | None = None
    """The URL at which people reach the league, without a slash at the end."""
    provider: IdentityProvider | None = None
    """The provider that signs people in by OpenID Connect."""
    cors_origins: tuple[str, ...] = ()
    log_level: str = "info"
    trusted_proxies: tuple[str, ...] = THIS_MACHINE
    rate_limit: int = 60_000
    documents: Path | None = None
    only_listed_documents: bool = False
    tracing: bool = False
    reviews_rules: bool = True
    """Whether a worker reviews the league's own rules after a month is closed."""
    ai_pause: float = 1.0
    """Seconds that an AI at a live table waits before its move, as a player would."""
    language: Language = "en"
    """The language of texts for people. A command or a request may ask for another."""
    alive_file: Path | None = None
    """A file that `league project` and `league worker` touch while their loops run."""


def from_environment(environ: Mapping[str, str]) -> Settings:
    """The settings in `environ`. An unset or empty variable has its default.

    Raises BadSetting, which names the variable, for an invalid value.
    """
    return Settings(
        database_url=_url(environ, "LEAGUE_DATABASE_URL", POSTGRESQL),
        read_urls=_read_urls(environ),
        data_dir=Path(environ.get("LEAGUE_DATA_DIR") or "league-data"),
        broker_url=_url(environ, "LEAGUE_BROKER_URL", ("redis", "rediss")),
        photos=_photos(environ),
        secret=_secret(environ, "LEAGUE_SECRET"),
        table_secret=_secret(environ, "LEAGUE_TABLE_SECRET"),
        signing_key=environ.get("LEAGUE_SIGNING_KEY", "").strip() or None,
        jwks_url=_url(environ, "LEAGUE_JWKS_URL", ("https", "http")),
        public_url=_public_url(environ),
        provider=_provider(environ),
        cors_origins=_origins(environ),
        log_level=_log_level(environ),
        language=language_of(environ),
        trusted_proxies=_networks(environ),
        rate_limit=_rate_limit(environ),
        documents=Path(environ["LEAGUE_DOCUMENTS"]) if environ.get("LEAGUE_DOCUMENTS") else None,
        only_listed_documents=_only_listed(environ),
        tracing=_tracing(environ),
        reviews_rules=_reviews_rules(environ),
        ai_pause=_ai_pause(environ),
        alive_file=Path(environ["LEAGUE_ALIVE_FILE"]) if environ.get("LEAGUE_ALIVE_FILE") else None,
    )


def _url(environ: Mapping[str, str], variable: str, schemes: tuple[str, str]) -> str | None:
    value = environ.get(variable, "").strip()
    return _checked_url(variable, value, schemes) if value else None


def _read_urls(environ: Mapping[str, str]) -> tuple[str, ...]:
    """URLs separated by blanks. Each must name one host, so that it always leads to the same replica."""
    variable, urls = "LEAGUE_READ_URLS", environ.get("LEAGUE_READ_URLS", "").split()
    for url in urls:
        hosts = urlsplit(_checked_url(variable, url, POSTGRESQL)).netloc.rpartition("@")[2]
        if "," in hosts:
            raise BadSetting(variable, say("must name one host in each URL; separate the URLs by blanks"))
    if len(set(urls)) < len(urls):
        raise BadSetting(variable, say("names a replica twice"))
    return tuple(urls)


def _checked_url(variable: str, value: str, schemes: tuple[str, str]) -> str:
    try:
        scheme = urlsplit(value).scheme
    except ValueError as error:
        raise BadSetting(variable, say("is not a URL ({error})", error=error)) from error
    if scheme not in schemes or "://" not in value:
        # The message does not repeat the value, which may contain a password.
        first, second = schemes
        raise BadSetting(
            variable, say("must be a URL beginning with {first}:// or {second}://", first=first, second=second)
        )
    return value


def _photos(environ: Mapping[str, str]) -> str | None:
    value = environ.get("LEAGUE_PHOTOS", "").strip()
    if "://" in value and not value.startswith("s3://"):
        raise BadSetting("LEAGUE_PHOTOS", say("must be a folder, or a URL beginning with s3://"))
    if value and "://" not in value:
        value = str(Path(value).absolute())
    return value or None


def _secret(environ: Mapping[str, str], variable: str) -> str | None:
    secret = environ.get(variable, "")
    if secret and len(secret.encode()) < SHORTEST_SECRET:
        raise BadSetting(
            variable, say("must be at least {shortest_secret} bytes long", shortest_secret=SHORTEST_SECRET)
        )
    return secret or None


def _public_url(environ: Mapping[str, str]) -> str | None:
    value = _url(environ, "LEAGUE_PUBLIC_URL", ("https", "http"))
    if value is None:
        return None
    parts = urlsplit(value)
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise BadSetting(
            "LEAGUE_PUBLIC_URL",
            say(
                "must be a host such as https://league.example, or http://league.example where there is no TLS: "
                "the pages stand at its root"
            ),
        )
    return f"{parts.scheme}://{parts.netloc}"


def _provider(environ: Mapping[str, str]) -> IdentityProvider | None:
    issuer = _url(environ, "LEAGUE_OIDC_ISSUER", ("https", "http"))
    if issuer is None:
        return None
    given = {name: environ.get(name, "").strip() for name in ("LEAGUE_OIDC_CLIENT_ID", "LEAGUE_OIDC_CLIENT_SECRET")}
    for name, value in given.items():
        if not value:
            raise BadSetting(name, say("must be set beside LEAGUE_OIDC_ISSUER: the provider gives it to you"))
    if not environ.get("LEAGUE_PUBLIC_URL", "").strip():
        raise BadSetting(
            "LEAGUE_PUBLIC_URL", say("must be set beside LEAGUE_OIDC_ISSUER: the provider leads back there")
        )
    name = environ.get("LEAGUE_OIDC_NAME", "").strip() or str(urlsplit(issuer).hostname)
    client_id, client_secret = given.values()
    return IdentityProvider(issuer, client_id, client_secret, name)


def _origins(environ: Mapping[str, str]) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in environ.get("LEAGUE_CORS_ORIGINS", "").split(",") if part.strip())
    for origin in origins:
        if origin == "*":
            continue
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
            raise BadSetting(
                "LEAGUE_CORS_ORIGINS", say("{origin!r} is not an origin such as https://league.example", origin=origin)
            )
    return origins


def _log_level(environ: Mapping[str, str]) -> str:
    level = (environ.get("LEAGUE_LOG_LEVEL") or "info").lower()
    if level not in LOG_LEVELS:
        raise BadSetting(
            "LEAGUE_LOG_LEVEL",
            say("{level!r} is not one of {log_levels}", level=level, log_levels=", ".join(LOG_LEVELS)),
        )
    return level


def language_of(environ: Mapping[str, str]) -> Language:
    """The language in `environ`. Commands need it before all other settings. Raises BadSetting."""
    wanted = (environ.get("LEAGUE_LANGUAGE") or "en").lower()
    for language in LANGUAGES:
        if language == wanted:
            return language
    raise BadSetting(
        "LEAGUE_LANGUAGE", say("{wanted!r} is not one of {languages}", wanted=wanted, languages=", ".join(LANGUAGES))
    )


def _networks(environ: Mapping[str, str]) -> tuple[str, ...]:
    networks = tuple(part.strip() for part in environ.get("LEAGUE_TRUSTED_PROXIES", "").split(",") if part.strip())
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError as error:
            raise BadSetting(
                "LEAGUE_TRUSTED_PROXIES", say("{error}; write 10.0.0.5 or 10.0.0.0/24", error=error)
            ) from None
    return networks or THIS_MACHINE


def _rate_limit(environ: Mapping[str, str]) -> int:
    limit = environ.get("LEAGUE_RATE_LIMIT") or str(Settings().rate_limit)
    if not limit.isdecimal() or not 1 <= int(limit) <= HIGHEST_RATE_LIMIT:
        raise BadSetting(
            "LEAGUE_RATE_LIMIT",
            say("must be a number of points from 1 to {most_points}", most_points=HIGHEST_RATE_LIMIT),
        )
    return int(limit)


def _only_listed(environ: Mapping[str, str]) -> bool:
    value = environ.get("LEAGUE_PUBLIC_DOCUMENTS") or "any"
    if value not in ("any", "listed"):
        raise BadSetting("LEAGUE_PUBLIC_DOCUMENTS", say("{value!r} is neither any nor listed", value=value))
    if value == "listed" and not environ.get("LEAGUE_DOCUMENTS"):
        raise BadSetting("LEAGUE_PUBLIC_DOCUMENTS", say("needs LEAGUE_DOCUMENTS: the list"))
    return value == "listed"


def _tracing(environ: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry's own variables, which its exporter reads, name an endpoint for traces."""
    endpoints = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    is_disabled = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not is_disabled and any(environ.get(endpoint) for endpoint in endpoints)


def _reviews_rules(environ: Mapping[str, str]) -> bool:
    value = environ.get("LEAGUE_RULES_REVIEW") or "on"
    if value not in ("on", "off"):
        raise BadSetting("LEAGUE_RULES_REVIEW", say("{value!r} is neither on nor off", value=value))
    return value == "on"


def _ai_pause(environ: Mapping[str, str]) -> float:
    pause = environ.get("LEAGUE_AI_PAUSE") or str(Settings().ai_pause)
    try:
        seconds = float(pause)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LONGEST_AI_PAUSE:
        raise BadSetting(
            "LEAGUE_AI_PAUSE",
            say("must be a number of seconds from 0 to {longest_ai_pause}", longest_ai_pause=LONGEST_AI_PAUSE),
        )
    return seconds
