"""Time-based one-time codes (RFC 6238: SHA-1, 30 seconds, 6 digits), as all authenticator apps make them."""

import base64
import hmac
from urllib.parse import quote, urlencode

#: Seconds of one step, and digits of a code.
STEP, DIGITS = 30, 6


def code(secret: bytes, step: int) -> str:
    """Return the code of that step (seconds since 1970, divided by 30)."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def matching_step(secret: bytes, digits: str, seconds: float, *, after: int = 0) -> int | None:
    """Return the step at `seconds` since 1970 if these are its digits, and it is later than the step `after`.

    A code lives for the half minute in which the app shows it, and no longer (ASVS 6.5.5).
    """
    step = int(seconds) // STEP
    is_right = hmac.compare_digest(code(secret, step).encode(), digits.encode())
    return step if is_right and step > after else None


def in_letters(secret: bytes) -> str:
    """Return the secret for typing into an app: base 32 in groups of four."""
    letters = base64.b32encode(secret).decode().rstrip("=")
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def enrolment_address(secret: bytes, name: str, issuer: str) -> str:
    """Return the `otpauth` address in the QR code of an enrolment."""
    query = urlencode({"secret": in_letters(secret).replace(" ", ""), "issuer": issuer, "digits": DIGITS})
    return f"otpauth://totp/{quote(issuer)}:{quote(name)}?{query}"
