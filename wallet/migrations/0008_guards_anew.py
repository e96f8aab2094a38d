from django.db import migrations

from wallet.ledger import triggers as guards


def set_guards_up_anew(apps, schema_editor):
    guards.remove(schema_editor.connection)
    guards.install(schema_editor.connection)


class Migration(migrations.Migration):
    """Every guard as it is written today: the same conditions, found with fewer look-ups."""

    dependencies = [("wallet", "0007_refills")]

    operations = [migrations.RunPython(set_guards_up_anew, migrations.RunPython.noop)]
