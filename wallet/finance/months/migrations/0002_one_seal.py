from django.db import migrations

from wallet.base import triggers

TRIGGERS = [*triggers.append_only("months_closedmonth")]


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, TRIGGERS)


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, TRIGGERS)


class Migration(migrations.Migration):
    """A closed month bears no signature of its own: its act in the trail is sealed."""

    dependencies = [("months", "0001_initial")]

    operations = [
        migrations.RunPython(remove, install),
        migrations.RemoveField(model_name="closedmonth", name="signature"),
        migrations.RunPython(install, remove),
    ]
