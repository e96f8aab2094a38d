from django.db import migrations

from tables.log.triggers import GUARDS
from wallet.base import triggers


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, GUARDS)


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, GUARDS)


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0002_packs'),
    ]

    operations = [
        migrations.RunPython(install, remove),
    ]
