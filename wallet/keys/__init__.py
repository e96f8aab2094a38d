"""The keys of an installation: what is sealed with them, which of them it knows, and how one is changed."""
