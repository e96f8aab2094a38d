"""What a planted fault is: statements, the check that must find it, and what that must name."""

#: The culprit also made every balance, digest and seal of the books fit what they did.
REFIT = "-- refit"

Fault = tuple[list[str], str, str]
