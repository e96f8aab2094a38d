import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, triggers.append_only("audit_log_auditentry"))


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, triggers.append_only("audit_log_auditentry"))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True, verbose_name='when')),
                ('user', models.ForeignKey(help_text='None for a command.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to=settings.AUTH_USER_MODEL)),
                ('actor_name', models.CharField(max_length=80, verbose_name='who')),
                ('address', models.GenericIPAddressField(null=True, verbose_name='from')),
                ('action', models.CharField(db_index=True, max_length=60, verbose_name='what')),
                ('target_type', models.CharField(help_text='What sort of object, as app.model.', max_length=60)),
                ('target_id', models.CharField(max_length=40, verbose_name='id')),
                ('target_label', models.CharField(max_length=120, verbose_name='object')),
                ('reason', models.CharField(blank=True, max_length=500, verbose_name='why')),
                ('before', models.JSONField(null=True)),
                ('after', models.JSONField(null=True)),
                ('previous_hash', models.CharField(db_default='', default='', editable=False, help_text='That of the entry before.', max_length=64)),
                ('hash', models.CharField(db_default='', default='', editable=False, help_text="HMAC-SHA-256 of the entry and of the hash before it, by a key made of the platform's secret.", max_length=64)),
            ],
            options={
                'verbose_name': 'entry of the audit trail',
                'verbose_name_plural': 'audit trail',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['target_type', 'target_id', '-id'], name='audit_log_of_an_object')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
