"""What a fair shuffle gives: exact laws of first hands and tosses, and how far counted deals lie from them."""
