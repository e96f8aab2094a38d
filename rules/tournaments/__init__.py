"""What is fixed about tournaments: seats, rounds, pairing, places and prizes. Pure: chance and time are arguments."""
