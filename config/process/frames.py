"""Frames of RFC 6455, as nearly all of them are: whole messages that came, or go, in one piece."""

import struct

#: Section 5.2: the bit of a frame that is a whole message, and what may be in it; the bit of a size that is masked.
WHOLE, TEXT, BINARY, MASKED = 0x80, 1, 2, 0x80
#: Sections 5.5.2 and 5.5.3: a ping of ours, and how the answer of a client begins, before the four bytes of its mask.
PING, PONG, PONG_SIZE = b"\x89\x00", b"\x8a\x80", 6
#: Sizes up to this stand in the second byte; 126 there says that the next two bytes tell the size.
SHORT, IN_TWO_BYTES = 125, 126


def whole_frame(payload: bytes, *, binary: bool = False) -> bytes:
    """Return the message as one frame of a server, which masks nothing."""
    return _head(BINARY if binary else TEXT, len(payload)) + payload


def _head(opcode: int, size: int) -> bytes:
    if size <= SHORT:
        return struct.pack("!BB", WHOLE | opcode, size)
    if size < 1 << 16:
        return struct.pack("!BBH", WHOLE | opcode, IN_TWO_BYTES, size)
    return struct.pack("!BBQ", WHOLE | opcode, 127, size)


def whole_text(data: bytes, most: int) -> bytes | None:
    """Return the message where `data` is just one frame of a client with a whole text of `most` bytes at most.

    None for whatever else it is, or may become: that is for the library to deal with.
    """
    if len(data) < 6 or data[0] != WHOLE | TEXT or not data[1] & MASKED:
        return None
    size, start = data[1] & ~MASKED, 2
    if size == IN_TWO_BYTES:
        size, start = int.from_bytes(data[2:4], "big"), 4
    if size > most or len(data) != start + 4 + size or (size > SHORT) != (start > 2):
        return None
    mask = (data[start : start + 4] * (size // 4 + 1))[:size]
    hidden = int.from_bytes(data[start + 4 :], "big")
    return (hidden ^ int.from_bytes(mask, "big")).to_bytes(size, "big")
