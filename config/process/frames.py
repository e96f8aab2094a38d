"""WebSocket frames (RFC 6455) for the common case: a whole message in one frame."""

import struct

#: Section 5.2: the bit of a frame that is a whole message, the two kinds of content, and the mask bit beside the size.
WHOLE, TEXT, BINARY, MASKED = 0x80, 1, 2, 0x80
#: Sections 5.5.2 and 5.5.3: a ping of ours; the beginning of a client's pong, before the mask of four bytes; its size.
PING, PONG, PONG_SIZE = b"\x89\x00", b"\x8a\x80", 6
#: The largest size that fits into the second byte; the value 126 there means that the size is in the next two bytes.
SHORT, IN_TWO_BYTES = 125, 126


def head(size: int, *, binary: bool = False) -> bytes:
    """Return the beginning of a server's frame that is a whole message of that many bytes, not masked."""
    opcode = BINARY if binary else TEXT
    if size <= SHORT:
        return struct.pack("!BB", WHOLE | opcode, size)
    if size < 1 << 16:
        return struct.pack("!BBH", WHOLE | opcode, IN_TWO_BYTES, size)
    return struct.pack("!BBQ", WHOLE | opcode, 127, size)


def whole_text(data: bytes, most: int) -> bytes | None:
    """Return the message if `data` is exactly one frame of a client, with a whole text of at most `most` bytes.

    None for everything else, which is left to the library.
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
