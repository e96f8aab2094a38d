"""A planted fault: its statements, the check that must find it, and what the finding must name."""

#: The culprit also made every balance, digest and seal of the books fit what they did.
REFIT = "-- refit"

Fault = tuple[list[str], str, str]
