"""What players may say to each other at a table: a closed list."""

from collections.abc import Mapping

#: Emotes with a picture in static/img/emotes.svg, by key: what is read out for it.
PICTURES: Mapping[str, str] = {
    "smile": "Smiles",
    "laugh": "Laughs",
    "wow": "Is amazed",
    "think": "Is thinking",
    "sad": "Is sad",
    "clap": "Claps",
    "thumb": "Thumbs up",
    "heart": "Loves it",
}
PHRASES: Mapping[str, str] = {
    "hello": "Hello!",
    "luck": "Good luck!",
    "well_played": "Well played!",
    "lovely_show": "What a show!",
    "close": "That was close!",
    "lucky": "Lucky draw!",
    "thanks": "Thank you!",
    "sorry": "Sorry!",
    "moment": "One moment, please.",
    "again": "One more?",
    "bye": "Goodbye!",
}
EMOTES: Mapping[str, str] = {**PICTURES, **PHRASES}
