"""Places where players can declare that they live: the states of India by ISO 3166-2 code, and elsewhere."""

from wallet.language import catalogued, worded

STATES = catalogued({
    "IN-AN": "Andaman and Nicobar Islands", "IN-AP": "Andhra Pradesh", "IN-AR": "Arunachal Pradesh",
    "IN-AS": "Assam", "IN-BR": "Bihar", "IN-CH": "Chandigarh", "IN-CG": "Chhattisgarh",
    "IN-DH": "Dadra and Nagar Haveli and Daman and Diu", "IN-DL": "Delhi", "IN-GA": "Goa", "IN-GJ": "Gujarat",
    "IN-HR": "Haryana", "IN-HP": "Himachal Pradesh", "IN-JK": "Jammu and Kashmir", "IN-JH": "Jharkhand",
    "IN-KA": "Karnataka", "IN-KL": "Kerala", "IN-LA": "Ladakh", "IN-LD": "Lakshadweep", "IN-MP": "Madhya Pradesh",
    "IN-MH": "Maharashtra", "IN-MN": "Manipur", "IN-ML": "Meghalaya", "IN-MZ": "Mizoram", "IN-NL": "Nagaland",
    "IN-OD": "Odisha", "IN-PY": "Puducherry", "IN-PB": "Punjab", "IN-RJ": "Rajasthan", "IN-SK": "Sikkim",
    "IN-TN": "Tamil Nadu", "IN-TS": "Telangana", "IN-TR": "Tripura", "IN-UP": "Uttar Pradesh",
    "IN-UK": "Uttarakhand", "IN-WB": "West Bengal",
})  # fmt: skip
#: The code of any place without a code here.
ELSEWHERE = "ZZ"


def named(code: str) -> str:
    """Return the name of the place; the code itself where there is none."""
    return worded("another place") if code == ELSEWHERE else worded(STATES.get(code, code))


def choices(permitted: list[str]) -> list[tuple[str, str]]:
    """Return the places that can be declared, sorted by name: all states, all permitted places, and elsewhere last."""
    codes = sorted({*STATES, *permitted} - {ELSEWHERE}, key=named)
    return [*((code, named(code)) for code in codes), (ELSEWHERE, worded("Another place"))]
