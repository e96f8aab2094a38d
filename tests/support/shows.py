"""Hands and shows that tests of several rules use."""

GOOD = "3H 4H 5H 6H 7C 8C 9C JS JH JD KS KH KD"

SHOW = "3H 4H 5H 6H | 7C 8C 9C | JS JH JD | KS KH KD"
