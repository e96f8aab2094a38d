"""Finished deals in Rummy Deal Notation: as files, and as deals to study."""
