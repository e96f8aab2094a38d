"""What one HTTP request may take of the web server's time and room, before anything of the site looks at it."""

import json
from typing import Any

from twisted.web import http

from tables.sockets.authentication import connections

#: Bytes of a body, as sent. Nothing here needs more: pages and calls send forms, no files.
MOST_BODY = 256 * 1024
#: Seconds in which a request's head, and then its body, must have come; and that a line may be idle between two.
HEAD_TIME, BODY_TIME, IDLE_TIME = 10, 20, 60
#: Seconds for a client to read that its body is too large, while the rest of it is thrown away.
LINGER = 5

_WORDS = "What was sent is too large."


#: Only half of the library says its types.
_HTTPChannel: Any = http.HTTPChannel


class Channel(_HTTPChannel):  # type: ignore[misc]
    """One line of a client. A body that is too large is refused by its first bytes, and a slow request by the clock.

    The clock is one for the whole of a head or a body: a byte now and then does not wind it up again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._begun = False
        self._refused = False
        self._body = 0

    def connectionMade(self) -> None:  # noqa: N802
        super().connectionMade()
        self.setTimeout(HEAD_TIME)

    def resetTimeout(self) -> None:  # noqa: N802
        """Bytes do not buy time; what has been read whole does."""

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._refused:
            return
        if not self._begun and not self._handlingRequest:
            self._begun = True
            self.setTimeout(HEAD_TIME)
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:  # noqa: N802
        if self.length is not None and self.length > MOST_BODY:
            self._refuse()
            return
        self._body = 0
        self.setTimeout(BODY_TIME)
        super().allHeadersReceived()

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._refused:
            return
        if not self._handlingRequest and self.length is None:
            self._body += len(data)
            if self._body > MOST_BODY:
                self._refuse()
                return
        super().rawDataReceived(data)

    def allContentReceived(self) -> None:  # noqa: N802
        if not self._refused:
            self._begun = False
            super().allContentReceived()

    def checkPersistence(self, request: Any, version: bytes) -> bool:  # noqa: N802
        """Answer once more on each line, where the server leaves."""
        if connections.open:
            return bool(super().checkPersistence(request, version))
        request.responseHeaders.setRawHeaders(b"Connection", [b"close"])
        return False

    def requestDone(self, request: Any) -> None:  # noqa: N802
        self._savedTimeOut = IDLE_TIME
        super().requestDone(request)

    def _refuse(self) -> None:
        """Say 413. Closed at once, with bytes of the client's unread, the answer would be lost on its way."""
        self._refused = True
        called = self._path.startswith(b"/api/")
        body = json.dumps({"code": "too_large", "message": _WORDS}).encode() if called else _WORDS.encode()
        kind = b"application/json" if called else b"text/plain; charset=utf-8"
        self.transport.write(
            b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
            b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (kind, len(body), body)
        )
        self.transport.loseWriteConnection()
        self.setTimeout(LINGER)

    def timeoutConnection(self) -> None:  # noqa: N802
        if self._refused:
            self.transport.abortConnection()
        else:
            super().timeoutConnection()
