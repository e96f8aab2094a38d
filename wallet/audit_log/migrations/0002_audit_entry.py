from django.db import migrations


def rename_permissions(apps, schema_editor):
    """Whoever may see the entries still may: their permissions go on under the model's new name."""
    permissions = apps.get_model('auth', 'Permission').objects.using(schema_editor.connection.alias)
    for permission in permissions.filter(content_type__app_label='trail', codename__endswith='_record'):
        permission.codename = permission.codename.replace('_record', '_auditentry')
        permission.save(update_fields=['codename'])


class Migration(migrations.Migration):
    """A new name for the model alone: its table keeps its own, which the triggers and the software of before know."""

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('trail', '0001_initial'),
    ]

    operations = [
        migrations.AlterModelTable('Record', 'trail_record'),
        migrations.RenameModel('Record', 'AuditEntry'),
        migrations.RunPython(rename_permissions, migrations.RunPython.noop),
    ]
