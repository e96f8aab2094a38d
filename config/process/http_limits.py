"""Limits on the time and memory of an HTTP request, and the length of its body, before it reaches the site."""

import json
from typing import Any

from twisted.web import http

from tables.sockets.admission import connections

#: The most bytes of a body, as sent. Pages and API calls send forms and no files, so none needs more.
MOST_BODY = 256 * 1024
#: Seconds for a request's head, and then its body, to arrive; and that a connection may be idle between requests.
HEAD_TIME, BODY_TIME, IDLE_TIME = 10, 20, 60
#: Seconds for a client to read that its body is too large, while the rest of it is thrown away.
LINGER = 5

_WORDS = "What was sent is too large."


#: The library has types for only a part of its code.
_HTTPChannel: Any = http.HTTPChannel


class Channel(_HTTPChannel):  # type: ignore[misc]
    """One HTTP connection, which refuses a body that is too large at its first bytes, and ends a request that is slow.

    One clock runs for a whole head or body: single bytes do not restart it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._begun = False
        self._refused = False
        self._body = 0

    def connectionMade(self) -> None:  # noqa: N802
        # Set before the library starts its clock: to shorten a running one, it would search all clocks.
        self.timeOut = HEAD_TIME
        super().connectionMade()

    def resetTimeout(self) -> None:  # noqa: N802
        """Restart the clock only after a whole head or body, not for single bytes."""

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
        """Handle the request; a body in chunks gets the header of its length, without which the API reads none."""
        if self._refused:
            return
        self._begun = False
        request = self.requests[-1]
        if request.requestHeaders.hasHeader(b"Transfer-Encoding"):
            request.requestHeaders.setRawHeaders(b"Content-Length", [b"%d" % request.content.tell()])
        super().allContentReceived()

    def write(self, data: bytes) -> None:
        """Write a piece of a body; of an answer to HEAD there is none.

        The library leaves out the first piece alone, as Daphne calls it: the next ones would be read as the beginning
        of the answer to the next request, by a proxy perhaps as somebody else's.
        """
        if self.requests[0].method != b"HEAD":
            super().write(data)

    def checkPersistence(self, request: Any, version: bytes) -> bool:  # noqa: N802
        """Keep the connection open after a request; when the server is stopping, close it after this answer."""
        if connections.open:
            return bool(super().checkPersistence(request, version))
        request.responseHeaders.setRawHeaders(b"Connection", [b"close"])
        return False

    def requestDone(self, request: Any) -> None:  # noqa: N802
        self._savedTimeOut = IDLE_TIME
        super().requestDone(request)

    def _refuse(self) -> None:
        """Answer 413 and read on before closing, since closing with unread bytes would lose the answer."""
        self._refused = True
        is_api = self._path.startswith(b"/api/")
        body = json.dumps({"code": "too_large", "message": _WORDS}).encode() if is_api else _WORDS.encode()
        content_type = b"application/json" if is_api else b"text/plain; charset=utf-8"
        self.transport.write(
            b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
            b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (content_type, len(body), body)
        )
        self.transport.loseWriteConnection()
        self.setTimeout(LINGER)

    def timeoutConnection(self) -> None:  # noqa: N802
        if self._refused:
            self.transport.abortConnection()
        else:
            super().timeoutConnection()
