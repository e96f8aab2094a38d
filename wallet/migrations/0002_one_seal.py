from django.db import migrations

from wallet.base import triggers

TRIGGERS = [*triggers.append_only("wallet_dayhead", message="records are only added")]


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, TRIGGERS)


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, TRIGGERS)


class Migration(migrations.Migration):
    """A day's head bears no signature of its own: its act in the trail is sealed."""

    dependencies = [("wallet", "0001_version_1_0")]

    operations = [
        migrations.RunPython(remove, install),
        migrations.RemoveField(model_name="dayhead", name="signature"),
        migrations.RunPython(install, remove),
    ]
