import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, triggers.append_only("lobby_signin", "lobby_note"))


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, triggers.append_only("lobby_signin", "lobby_note"))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '0001_initial'),
        ('tables', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rematch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='rematch', to='tables.match')),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tables.table')),
                ('opened_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='tables.deal')),
                ('reporter', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to=settings.AUTH_USER_MODEL)),
                ('about', models.CharField(choices=[('together', 'Players seem to play together'), ('computer', 'A player seems to be a computer'), ('behaviour', 'A player behaves badly'), ('rules', 'The rules were not kept'), ('other', 'Something else')], max_length=10, verbose_name='what about')),
                ('seat', models.PositiveSmallIntegerField(help_text='The seat in question; none for the deal.', null=True, verbose_name='whom')),
                ('text', models.CharField(blank=True, max_length=1000, verbose_name='what happened')),
                ('at', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('state', models.CharField(choices=[('open', 'open'), ('looked_at', 'being looked at'), ('closed', 'closed')], db_index=True, default='open', max_length=9)),
                ('note', models.CharField(blank=True, max_length=500, verbose_name='note of staff')),
                ('answer', models.CharField(blank=True, db_default='', max_length=500, verbose_name='answer to the player')),
                ('answer_read_at', models.DateTimeField(null=True, verbose_name='answer read')),
                ('handled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('handled_at', models.DateTimeField(null=True)),
            ],
            options={
                'permissions': [('handle_report', 'Can look at reports and close them')],
                'constraints': [models.UniqueConstraint(fields=('deal', 'reporter'), name='one_report_of_a_deal')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tables.table')),
                ('is_rematch', models.BooleanField(default=False)),
                ('sent_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'table'), name='invited_once_to_a_table')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
