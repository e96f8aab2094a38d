from django.db import migrations

from wallet import guards


class Migration(migrations.Migration):
    """The database keeps the books by itself."""

    dependencies = [("wallet", "0001_initial")]

    operations = [
        migrations.RunPython(
            lambda apps, schema_editor: guards.install(schema_editor.connection),
            lambda apps, schema_editor: guards.remove(schema_editor.connection),
        ),
    ]
