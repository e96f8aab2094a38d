from django.db import migrations


def known(apps, schema_editor):
    """What opens accounts now is from before acts were written of it: the trail gets to know it, by marks."""
    from lobby.accounts.acts.access import KIND, Sources, marks
    from wallet.audit_log.state import record_present_rows

    models = [
        ('lobby', 'Player'),
        ('lobby', 'PasswordCode'),
        ('guard', 'Authenticator'),
        ('guard', 'RecoveryCode'),
    ]
    found = marks(Sources(*(apps.get_model(*each) for each in models)))
    record_present_rows(KIND, found, apps.get_model('trail', 'AuditEntry'))


class Migration(migrations.Migration):

    dependencies = [
        ('guard', '0001_initial'),
        ('lobby', '0009_closed_accounts'),
        ('trail', '0002_audit_entry'),
    ]

    operations = [
        migrations.RunPython(known, migrations.RunPython.noop),
    ]
