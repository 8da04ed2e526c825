"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from league.infra.settings import BadSetting, IdentityProvider, Settings, from_environment


def test_an_empty_environment_gives_the_defaults() -> None:
    """Nothing has to be set; an empty variable is one that is not set."""
    assert from_environment({}) == Settings()
    assert from_environment({"LEAGUE_DATABASE_URL": "", "LEAGUE_DATA_DIR": ""}) == Settings()
    assert Settings().data_dir == Path("league-data")


def test_every_variable_is_read() -> None:
    """Each variable arrives in its field."""
    assert from_environment(
        {
            "LEAGUE_DATABASE_URL": "postgresql://league@db/league",
            "LEAGUE_READ_URLS": "postgresql://one/league  postgresql://two/league",
            "LEAGUE_DATA_DIR": "/data",
            "LEAGUE_BROKER_URL": "redis://broker",
            "LEAGUE_PHOTOS": "s3://club/photos",
            "LEAGUE_SECRET": "s" * 32,
            "LEAGUE_TABLE_SECRET": "t" * 32,
            "LEAGUE_SIGNING_KEY": "k",
            "LEAGUE_JWKS_URL": "https://id.example/keys",
            "LEAGUE_PUBLIC_URL": "https://league.example/",
            "LEAGUE_OIDC_ISSUER": "https://id.example/club",
            "LEAGUE_OIDC_CLIENT_ID": "league",
            "LEAGUE_OIDC_CLIENT_SECRET": "c",
            "LEAGUE_CORS_ORIGINS": "https://a.example, http://localhost:3000",
            "LEAGUE_LOG_LEVEL": "DEBUG",
            "LEAGUE_TRUSTED_PROXIES": "10.0.0.5, fd00::/8",
            "LEAGUE_RATE_LIMIT": "5000",
            "LEAGUE_DOCUMENTS": "/documents",
            "LEAGUE_PUBLIC_DOCUMENTS": "listed",
            "LEAGUE_AI_PAUSE": "0.5",
            "LEAGUE_RULES_REVIEW": "off",
            "LEAGUE_LANGUAGE": "es",
            "LEAGUE_ALIVE_FILE": "/tmp/alive",  # noqa: S108  # not written here
        }
    ) == Settings(
        database_url="postgresql://league@db/league",
        read_urls=("postgresql://one/league", "postgresql://two/league"),
        data_dir=Path("/data"),
        broker_url="redis://broker",
        photos="s3://club/photos",
        secret="s" * 32,
        table_secret="t" * 32,
        signing_key="k",
        jwks_url="https://id.example/keys",
        public_url="https://league.example",
        provider=IdentityProvider("https://id.example/club", "league", "c", "id.example"),
        cors_origins=("https://a.example", "http://localhost:3000"),
        log_level="debug",
        trusted_proxies=("10.0.0.5", "fd00::/8"),
        rate_limit=5000,
        documents=Path("/documents"),
        only_listed_documents=True,
        ai_pause=0.5,
        reviews_rules=False,
        language="es",
        alive_file=Path("/tmp/alive"),  # noqa: S108  # not written here
    )


def test_opentelemetrys_own_variables_turn_tracing_on() -> None:
    """A place to send traces to; the variable that disables its SDK turns it off."""
    place = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    assert from_environment(place).tracing
    assert from_environment({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}).tracing
    assert not from_environment({**place, "OTEL_SDK_DISABLED": "true"}).tracing


GIVEN = {"LEAGUE_OIDC_CLIENT_ID": {"LEAGUE_OIDC_ISSUER": "https://id.example"}}
"""Variables that a value of another one needs."""


@pytest.mark.parametrize(
    ("variable", "schemes"),
    [
        ("LEAGUE_PUBLIC_URL", ["https://", "http://"]),
        ("LEAGUE_JWKS_URL", ["https://", "http://"]),
        ("LEAGUE_OIDC_ISSUER", ["https://", "http://"]),
        ("LEAGUE_BROKER_URL", ["redis://", "rediss://"]),
        ("LEAGUE_DATABASE_URL", ["postgresql://", "postgres://"]),
    ],
)
def test_a_url_without_a_scheme_is_told_which_there_are(variable: str, schemes: list[str]) -> None:
    """Both of them: a league without TLS need not guess."""
    with pytest.raises(BadSetting) as refused:
        from_environment({variable: "league.example"})
    assert [scheme in str(refused.value) for scheme in schemes] == [True, True]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LEAGUE_DATABASE_URL", "mysql://league@db"),
        ("LEAGUE_DATABASE_URL", "host=db password=geheim"),
        ("LEAGUE_READ_URLS", "postgresql://one/league mysql://geheim@two"),
        ("LEAGUE_READ_URLS", "postgresql://league:geheim@one,two/league"),
        ("LEAGUE_READ_URLS", "postgresql://geheim@one/league postgresql://geheim@one/league"),
        ("LEAGUE_BROKER_URL", "amqp://broker"),
        ("LEAGUE_SECRET", "geheim"),
        ("LEAGUE_JWKS_URL", "file:///geheim"),
        ("LEAGUE_PUBLIC_URL", "league.example"),
        ("LEAGUE_PUBLIC_URL", "https://geheim@league.example"),
        ("LEAGUE_PUBLIC_URL", "https://league.example/pages"),
        ("LEAGUE_OIDC_CLIENT_ID", ""),  # beside an issuer
        ("LEAGUE_CORS_ORIGINS", "league.example"),
        ("LEAGUE_CORS_ORIGINS", "https://league.example/app"),
        ("LEAGUE_LOG_LEVEL", "loud"),
        ("LEAGUE_LANGUAGE", "fr"),
        ("LEAGUE_TRUSTED_PROXIES", "proxy.example"),
        ("LEAGUE_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("LEAGUE_RATE_LIMIT", "0"),
        ("LEAGUE_RATE_LIMIT", "many"),
        ("LEAGUE_AI_PAUSE", "soon"),
        ("LEAGUE_AI_PAUSE", "-1"),
        ("LEAGUE_RULES_REVIEW", "never"),
        ("LEAGUE_PUBLIC_DOCUMENTS", "none"),
        ("LEAGUE_PUBLIC_DOCUMENTS", "listed"),  # and no list
    ],
)
def test_a_bad_value_is_refused_by_name(variable: str, value: str) -> None:
    """A value that cannot be used is refused with the name of its variable, and no secret is repeated."""
    with pytest.raises(BadSetting) as refused:
        from_environment({**GIVEN.get(variable, {}), variable: value})
    assert refused.value.variable == variable
    assert str(refused.value).startswith(variable)
    assert "geheim" not in str(refused.value)
