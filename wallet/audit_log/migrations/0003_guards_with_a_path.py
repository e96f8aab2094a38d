from django.db import migrations

from wallet.audit_log.triggers import PATH, TABLES


def fix_paths(apps, schema_editor):
    """Tables whose guards are still to come get them with a path."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = ANY(%s)",
            [[f"{table}_refuse" for table in TABLES]],
        )
        for (function,) in cursor.fetchall():
            cursor.execute(f"ALTER FUNCTION {function}() SET search_path = {PATH}")


class Migration(migrations.Migration):
    """As the guards of the wallet's own tables: see its migration of that name."""

    dependencies = [("trail", "0002_seals")]

    operations = [migrations.RunPython(fix_paths, migrations.RunPython.noop)]
