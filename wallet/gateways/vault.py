"""Where players' money goes to, at rest: nobody reads account numbers in the database, a dump or a backup."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


@lru_cache(maxsize=4)
def _keys(secrets: tuple[str, ...]) -> MultiFernet:
    def key(secret: str) -> bytes:
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"rummy bank accounts").derive(secret.encode())

    return MultiFernet([Fernet(urlsafe_b64encode(key(secret))) for secret in secrets])


def _sealer() -> MultiFernet:
    return _keys((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


def seal(content: Mapping[str, str]) -> bytes:
    """`content`, encrypted and authenticated under the installation's secret key."""
    return _sealer().encrypt(json.dumps(dict(content)).encode())


def unseal(sealed: bytes | memoryview) -> dict[str, str]:
    """What was sealed, under the present key or a former one; InvalidToken when it was tampered with."""
    return dict(json.loads(_sealer().decrypt(bytes(sealed))))
