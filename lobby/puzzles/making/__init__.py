"""Making puzzles: deals of computer players or of those who share theirs, candidates, and the check of each."""
