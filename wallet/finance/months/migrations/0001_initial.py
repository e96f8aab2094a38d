import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers
from wallet.finance.months.models import TRIGGERS


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, TRIGGERS)


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, TRIGGERS)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '__first__'),
        ('wallet', '0001_version_1_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClosedMonth',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(help_text='Its first day, in the report zone.', unique=True)),
                ('zone', models.CharField(help_text='Whose month it is.', max_length=64)),
                ('ends_at', models.DateTimeField(help_text='The first moment after it: no posting is dated earlier from now on.')),
                ('last_transfer', models.PositiveBigIntegerField(help_text='The id of the last transfer of the ledger at the closing.')),
                ('sums', models.JSONField()),
                ('audit', models.ForeignKey(help_text='The audit after its end.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.auditrun')),
                ('closed_at', models.DateTimeField()),
                ('closed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('digest', models.CharField(help_text='SHA-256 of all of it and of the digest of the month before.', max_length=64)),
                ('signature', models.CharField(help_text="HMAC-SHA-256, by a key made of the platform's secret.", max_length=64)),
            ],
            options={
                'permissions': [('close_month', 'Can close a month')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
