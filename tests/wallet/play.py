"""Words in which the wallet's tests are told."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser

from wallet import services
from wallet.models import Account, Kind


def open_account(name: str) -> AbstractBaseUser:
    """A player who has signed up and received his chips."""
    user = get_user_model().objects.create_user(username=name, password="a long pass phrase")
    services.open_wallet(user)
    return user


def seat(seating: int, user: AbstractBaseUser | None, stack: int) -> None:
    """The player sits down with that stack."""
    services.buy_in(seating=seating, user=user, currency="FUN", amount=stack)


def account(kind: Kind, reference: str = "house", currency: str = "FUN") -> Account:
    return Account.objects.get(kind=kind, reference=reference, currency=currency)
