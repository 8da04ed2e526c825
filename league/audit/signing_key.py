"""The key that signs heads of the log: from the settings, or stored beside the embedded database."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from league.audit.signed_heads import BadKey, new_seed, read_private_key
from league.domain.sentences import say
from league.infra.kept_secrets import kept_secret
from league.infra.settings import BadSetting, Settings


def signing_key_of(settings: Settings) -> Ed25519PrivateKey | None:
    """The key that signs heads: the configured one, or with the embedded database one stored beside it.

    None where a server is used and no key is set: then no head is signed. Raises BadSetting and SecretTooShort.
    """
    if settings.signing_key is None and settings.database_url is not None:
        return None
    try:
        return read_private_key(settings.signing_key or kept_secret(settings, "signing-key", new_seed))
    except BadKey as error:
        raise BadSetting("LEAGUE_SIGNING_KEY", str(error)) from error


def required_key(settings: Settings) -> Ed25519PrivateKey:
    """The key that signs heads. Raises BadSetting where there is none, and SecretTooShort."""
    key = signing_key_of(settings)
    if key is None:
        raise BadSetting("LEAGUE_SIGNING_KEY", say("must be set: it signs heads of the log"))
    return key
