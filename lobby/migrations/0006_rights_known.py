from django.db import migrations


def known(apps, schema_editor):
    """Whoever has rights or a token now has them from before acts were written of them: the trail gets to know them."""
    from lobby.accounts.acts.rights import rights
    from wallet.audit_log.state import record_present_rows

    found = rights(apps.get_model('lobby', 'Player'), apps.get_model('authtoken', 'Token'))
    record_present_rows('lobby.player', found, apps.get_model('trail', 'AuditEntry'))


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('authtoken', '0004_alter_tokenproxy_options'),
        ('lobby', '0005_language'),
        ('trail', '0002_audit_entry'),
        ('wallet', '0003_keyed_links'),
    ]

    operations = [
        migrations.RunPython(known, migrations.RunPython.noop),
    ]
