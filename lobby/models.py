"""Who plays, and what staff offer them."""

from django.contrib.auth.models import AbstractUser


class Player(AbstractUser):
    """A person with an account: player, staff or finance."""
