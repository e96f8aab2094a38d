from django.db import migrations

from wallet.ledger import triggers as guards


class Migration(migrations.Migration):
    """The database keeps the books by itself, from the last of these migrations on."""

    dependencies = [("wallet", "0001_initial")]

    operations = [
        migrations.RunPython(
            migrations.RunPython.noop,
            lambda apps, schema_editor: guards.remove(schema_editor.connection),
        ),
    ]
