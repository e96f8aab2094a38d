"""Live decks, hands and seeds at rest: nobody reads them in the database, a dump or a backup."""

from base64 import urlsafe_b64encode
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


@lru_cache(maxsize=4)
def _keys(secrets: tuple[str, ...]) -> MultiFernet:
    def key(secret: str) -> bytes:
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"rummy sealed state").derive(secret.encode())

    return MultiFernet([Fernet(urlsafe_b64encode(key(secret))) for secret in secrets])


def _sealer() -> MultiFernet:
    return _keys((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


def seal(content: bytes) -> bytes:
    """`content`, encrypted and authenticated under the installation's secret key."""
    return _sealer().encrypt(content)


def unseal(sealed: bytes | memoryview) -> bytes:
    """What was sealed, under the present key or a former one; InvalidToken when it was tampered with."""
    return _sealer().decrypt(bytes(sealed))
