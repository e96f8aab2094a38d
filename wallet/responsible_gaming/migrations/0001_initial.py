import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, triggers.append_only("responsible_gaming_settingschange"))


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, triggers.append_only("responsible_gaming_settingschange"))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='PlayerSettings',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='play_settings', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('reminder_minutes', models.PositiveSmallIntegerField(help_text='None: as the settings say.', null=True)),
                ('reminded_at', models.DateTimeField(help_text='When the last reminder was acknowledged.', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SettingsChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='settings_changes', to=settings.AUTH_USER_MODEL)),
                ('by', models.ForeignKey(help_text='None for a command.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField()),
                ('text', models.CharField(help_text='In the words that the player reads.', max_length=200)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='settings_changes_of_a_player')],
            },
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to=settings.AUTH_USER_MODEL)),
                ('since', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
                ('by_staff', models.BooleanField(default=False)),
                ('lifted_at', models.DateTimeField(help_text='From when on it no longer holds; only what staff set.', null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='exclusions_of_a_player')],
                'constraints': [models.CheckConstraint(condition=models.Q(('until__isnull', True), ('until__gt', models.F('since')), _connector='OR'), name='exclusion_ends_later'), models.CheckConstraint(condition=models.Q(('by_staff', True), ('lifted_at__isnull', True), _connector='OR'), name='own_exclusion_stands')],
            },
        ),
        migrations.CreateModel(
            name='Limit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='limits', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('entries', 'Put into play'), ('time', 'Time played')], max_length=7)),
                ('currency', models.CharField(blank=True, help_text='Empty for time.', max_length=10)),
                ('period', models.CharField(choices=[('day', 'a day'), ('week', 'a week'), ('month', 'a month')], max_length=5)),
                ('amount', models.BigIntegerField(null=True)),
                ('pending_amount', models.BigIntegerField(null=True)),
                ('pending_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'currency', 'period'), name='one_limit_each'), models.CheckConstraint(condition=models.Q(models.Q(('amount__isnull', True), ('amount__gte', 0), _connector='OR'), models.Q(('pending_amount__isnull', True), ('pending_amount__gte', 0), _connector='OR')), name='limit_not_negative'), models.CheckConstraint(condition=models.Q(models.Q(('currency', ''), ('kind', 'time')), models.Q(('kind', 'entries'), models.Q(('currency', ''), _negated=True)), _connector='OR'), name='limit_currency')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
