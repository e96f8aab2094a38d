from django.db import migrations

from wallet.ledger import triggers as guards


def set_guards_up_anew(apps, schema_editor):
    guards.remove(schema_editor.connection)
    guards.install(schema_editor.connection)


class Migration(migrations.Migration):
    """In PostgreSQL every guard names its schema and has a fixed path: no temporary table stands before a real one."""

    dependencies = [("wallet", "0009_as_of_asked_for")]

    operations = [migrations.RunPython(set_guards_up_anew, migrations.RunPython.noop)]
