import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers
from tables.log.triggers import TRIGGERS


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, TRIGGERS)


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, TRIGGERS)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=80)),
                ('stake_id', models.BigIntegerField(db_index=True, help_text='The stake in the lobby; none for practice.', null=True)),
                ('book', models.CharField(max_length=40)),
                ('book_version', models.PositiveIntegerField()),
                ('family', models.CharField(max_length=10)),
                ('currency', models.CharField(max_length=10)),
                ('seats', models.PositiveSmallIntegerField()),
                ('practice_for', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='practice_tables', to=settings.AUTH_USER_MODEL)),
                ('strength', models.CharField(blank=True, db_default='', default='', help_text="Of its computer players; empty where there are none, and where practice was for chips of one's own.", max_length=6)),
                ('guided', models.BooleanField(db_default=False, default=False, help_text='The first deal comes with hints.')),
                ('private_code', models.CharField(blank=True, db_index=True, max_length=12)),
                ('tournament_id', models.BigIntegerField(db_index=True, help_text='The tournament that it is part of.', null=True)),
                ('round', models.PositiveSmallIntegerField(help_text='Of a knock-out.', null=True)),
                ('status', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed'), ('frozen', 'frozen for staff')], default='open', max_length=6)),
                ('phase', models.CharField(default='waiting', max_length=10)),
                ('seated', models.PositiveSmallIntegerField(default=0)),
                ('version', models.PositiveBigIntegerField(default=0)),
                ('snapshot', models.BinaryField(db_default=b'', help_text='The state at `snapshot_version`, written by rules.game.codec and sealed; the events tell the rest.')),
                ('snapshot_version', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('deadline_ms', models.BigIntegerField(help_text='When the running clock ends, in ms since 1970 UTC.', null=True)),
                ('computer_due_ms', models.BigIntegerField(help_text='When a computer player moves next.', null=True)),
                ('last_outage', models.BigIntegerField(db_default=0, default=0, help_text='The last outage for which the running clock was put forward, if it had to.')),
                ('fault', models.TextField(blank=True, help_text='Why the table was frozen.')),
                ('terms', models.JSONField(help_text='What it was opened with: with the events, all can be rebuilt.', null=True)),
                ('opened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('closed_at', models.DateTimeField(null=True)),
                ('void_at', models.DateTimeField(help_text='When it was cancelled by the books: its state and events tell nothing certain.', null=True)),
                ('log_pruned_at', models.DateTimeField(help_text='When its events went, long after it was closed.', null=True)),
            ],
            options={
                'permissions': [('freeze_table', 'Can freeze and resume a table'), ('cancel_table', 'Can cancel what is played at a table, and refund it')],
                'indexes': [models.Index(condition=models.Q(('status', 'open')), fields=['deadline_ms'], name='table_deadline'), models.Index(condition=models.Q(('status', 'open')), fields=['computer_due_ms'], name='table_computer_due'), models.Index(fields=['status', 'stake_id'], name='table_by_stake')],
                'constraints': [models.CheckConstraint(condition=models.Q(('seats__gte', 2), ('seats__lte', 6)), name='table_two_to_six_seats')],
            },
        ),
        migrations.CreateModel(
            name='Outage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('began_ms', models.BigIntegerField()),
                ('ended_ms', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='ServerHeartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at_ms', models.BigIntegerField(default=0)),
                ('refused_ms', models.BigIntegerField(help_text='Since when the database takes no moves; see `outages`.', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='tables.table')),
                ('book', models.CharField(max_length=40)),
                ('book_version', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('open', 'Open'), ('settled', 'Settled'), ('cancelled', 'Cancelled')], default='open', max_length=9)),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'verbose_name_plural': 'matches',
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'open')), fields=('table',), name='one_open_match_a_table')],
                'indexes': [models.Index(condition=models.Q(('status', 'settled')), fields=['ended_at'], name='matches_as_they_ended')],
            },
        ),
        migrations.CreateModel(
            name='Seating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seatings', to='tables.table')),
                ('seat', models.PositiveSmallIntegerField()),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seatings', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=40)),
                ('entrant_id', models.BigIntegerField(help_text='Of the tournament; none at other tables.', null=True)),
                ('taken_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('left_at', models.DateTimeField(help_text='From here on the player holds the seat no more.', null=True)),
                ('freed_at', models.DateTimeField(help_text='From here on the seat may be taken by another.', null=True)),
                ('connection', models.CharField(blank=True, help_text='The one socket that plays this seat.', max_length=32)),
                ('connection_count', models.PositiveBigIntegerField(db_default=0, default=0, help_text='So many sockets have come to this seat.')),
                ('connection_number', models.PositiveBigIntegerField(db_default=0, default=0, help_text='Which of them plays it, or was the last to: no earlier one ever plays again.')),
                ('seen_ms', models.BigIntegerField(default=0, help_text='Last sign of life of that socket, in ms since 1970 UTC.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('freed_at', None)), fields=('table', 'seat'), name='one_player_a_seat'), models.UniqueConstraint(condition=models.Q(('left_at', None)), fields=('user', 'table'), name='one_seat_a_table')],
            },
        ),
        migrations.CreateModel(
            name='Deal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deals', to='tables.match')),
                ('number', models.PositiveIntegerField(help_text='Counts the deals of the match from 1.')),
                ('book', models.CharField(max_length=40)),
                ('book_version', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('prepared', 'Prepared'), ('playing', 'Playing'), ('over', 'Over'), ('void', 'Void'), ('cancelled', 'Cancelled')], default='prepared', max_length=9)),
                ('commitment', models.CharField(help_text='SHA-256, published before any card is dealt.', max_length=64)),
                ('sealed_seed', models.BinaryField()),
                ('client_seeds', models.JSONField(default=list, help_text='Hex, in seat order, empty for a seat that gave none.')),
                ('order', models.JSONField(default=list, help_text='The seats in the deal, in the order of play.')),
                ('result', models.JSONField(help_text='The rows of the result table, with names.', null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('match', 'number'), name='deals_of_a_match_are_numbered')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seating', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='tables.seating')),
                ('request_id', models.CharField(max_length=64)),
                ('answer', models.JSONField()),
                ('answered_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('seating', 'request_id'), name='a_request_is_answered_once')],
            },
        ),
        migrations.CreateModel(
            name='DealSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='tables.deal')),
                ('seating', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deals', to='tables.seating')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deals', to=settings.AUTH_USER_MODEL)),
                ('seat', models.PositiveSmallIntegerField()),
                ('outcome', models.CharField(blank=True, help_text='Empty until the deal is scored.', max_length=10)),
                ('points', models.PositiveIntegerField(default=0)),
                ('amount', models.BigIntegerField(default=0, help_text='Won or lost, in the smallest unit of the currency.')),
                ('total', models.PositiveIntegerField(help_text='Points or chips in the match so far, where it counts them.', null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='history_of_a_player')],
                'constraints': [models.UniqueConstraint(fields=('deal', 'seat'), name='a_seat_is_scored_once')],
            },
        ),
        migrations.CreateModel(
            name='SharedDeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shares', to='tables.deal')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shared_deals', to=settings.AUTH_USER_MODEL)),
                ('token', models.CharField(help_text='The unguessable part of the link.', max_length=43, unique=True)),
                ('names_hidden', models.BooleanField(help_text='Whether players go by their seats there.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(help_text='From here on the link leads nowhere.', null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('deal', 'user'), name='one_link_a_deal')],
            },
        ),
        migrations.CreateModel(
            name='Pack',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='packs', to='tables.table')),
                ('deal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='packs', to='tables.deal')),
                ('first_version', models.PositiveBigIntegerField()),
                ('last_version', models.PositiveBigIntegerField()),
                ('events', models.PositiveIntegerField(help_text='How many events are in it.')),
                ('last_ms', models.BigIntegerField(help_text='When the last of them happened, in ms since 1970 UTC.')),
                ('digest', models.CharField(help_text='SHA-256 of the events, taken when they were packed.', max_length=64)),
                ('content', models.BinaryField(help_text='The events, compressed and sealed.')),
                ('packed_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('table', 'first_version'), name='events_are_packed_once'), models.CheckConstraint(condition=models.Q(('last_version__gte', models.F('first_version'))), name='a_pack_has_a_version')],
            },
        ),
        migrations.CreateModel(
            name='LoggedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='tables.table')),
                ('deal', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='tables.deal')),
                ('version', models.PositiveBigIntegerField(help_text='The version of the table that this event is part of.')),
                ('number', models.PositiveSmallIntegerField(help_text='Counts the events of that version from 0.')),
                ('kind', models.CharField(max_length=40)),
                ('at_ms', models.BigIntegerField(help_text='When, in ms since 1970 UTC by the clock of the database.')),
                ('payload', models.BinaryField(help_text='The event, written by rules.game.codec and sealed.')),
            ],
            options={
                'db_table': 'tables_event',
                'constraints': [models.UniqueConstraint(fields=('table', 'version', 'number'), name='events_are_in_order')],
            },
        ),
        migrations.AddField(
            model_name='table',
            name='deal',
            field=models.ForeignKey(help_text='The deal at hand.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.deal'),
        ),
        migrations.CreateModel(
            name='Template',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=60)),
                ('kind', models.CharField(choices=[('knockout', 'knock-out'), ('arena', 'arena')], max_length=8)),
                ('book', models.CharField(max_length=40, verbose_name='rule book')),
                ('seats', models.PositiveSmallIntegerField(default=6, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(6)])),
                ('deals', models.PositiveSmallIntegerField(default=3, help_text='Of a round; an arena has none.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)])),
                ('go_on', models.PositiveSmallIntegerField(default=2, help_text='So many of a table go on.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3)])),
                ('minutes', models.PositiveSmallIntegerField(default=20, help_text='Of an arena.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)])),
                ('least_deals', models.PositiveSmallIntegerField(default=3, help_text='With fewer finished deals nobody has a place in an arena.')),
                ('entry', models.PositiveBigIntegerField(default=0, help_text='0: free.')),
                ('fee_percent', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(50)])),
                ('least', models.PositiveIntegerField(default=2, validators=[django.core.validators.MinValueValidator(2)])),
                ('most', models.PositiveIntegerField(default=6, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(5000)])),
                ('prizes', models.JSONField(blank=True, default=list, help_text='The shares in percent by place, 100 in all; none: no prizes.')),
                ('computers_after', models.PositiveSmallIntegerField(blank=True, help_text='Seconds after the first entry at which computer players take what is free.', null=True)),
                ('schedule', models.CharField(choices=[('always', 'starts when full, and the next one opens'), ('half_hourly', 'every half hour'), ('weekly', 'at a time on days of the week')], default='always', max_length=11)),
                ('weekdays', models.CharField(default='0123456', help_text='Monday is 0.', max_length=7)),
                ('at', models.TimeField(blank=True, help_text='In the report zone.', null=True)),
                ('active', models.BooleanField(default=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=60)),
                ('kind', models.CharField(choices=[('knockout', 'knock-out'), ('arena', 'arena')], max_length=8)),
                ('book', models.CharField(max_length=40, verbose_name='rule book')),
                ('seats', models.PositiveSmallIntegerField(default=6, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(6)])),
                ('deals', models.PositiveSmallIntegerField(default=3, help_text='Of a round; an arena has none.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)])),
                ('go_on', models.PositiveSmallIntegerField(default=2, help_text='So many of a table go on.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3)])),
                ('minutes', models.PositiveSmallIntegerField(default=20, help_text='Of an arena.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)])),
                ('least_deals', models.PositiveSmallIntegerField(default=3, help_text='With fewer finished deals nobody has a place in an arena.')),
                ('entry', models.PositiveBigIntegerField(default=0, help_text='0: free.')),
                ('fee_percent', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(50)])),
                ('least', models.PositiveIntegerField(default=2, validators=[django.core.validators.MinValueValidator(2)])),
                ('most', models.PositiveIntegerField(default=6, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(5000)])),
                ('prizes', models.JSONField(blank=True, default=list, help_text='The shares in percent by place, 100 in all; none: no prizes.')),
                ('computers_after', models.PositiveSmallIntegerField(blank=True, help_text='Seconds after the first entry at which computer players take what is free.', null=True)),
                ('number', models.PositiveIntegerField(default=1, help_text='Counts those of the template.')),
                ('book_version', models.PositiveIntegerField(default=1)),
                ('status', models.CharField(choices=[('announced', 'Announced'), ('open', 'Open'), ('running', 'Running'), ('over', 'Over'), ('cancelled', 'Cancelled')], default='announced', max_length=9)),
                ('opens_ms', models.BigIntegerField(help_text='From here on one may enter.')),
                ('starts_ms', models.BigIntegerField(help_text='None before it has begun: it begins when it is full.', null=True)),
                ('ends_ms', models.BigIntegerField(help_text='Of an arena: from here on no deal begins.', null=True)),
                ('next_ms', models.BigIntegerField(help_text='When its next step is due; none: it waits for something.', null=True)),
                ('paused_ms', models.BigIntegerField(help_text='Since when staff have it paused.', null=True)),
                ('last_outage', models.BigIntegerField(default=0, help_text='The last outage for which its moments were put off.')),
                ('round', models.PositiveSmallIntegerField(default=0, help_text='The round that is played; 0 before the first.')),
                ('rounds', models.PositiveSmallIntegerField(default=0, help_text='How many it has, known from its start on.')),
                ('entered', models.PositiveIntegerField(default=0, help_text='How many are in it, or were until it was over.')),
                ('fee', models.PositiveBigIntegerField(default=0, help_text='What the house took of the pot, with the prizes.')),
                ('reason', models.CharField(blank=True, help_text='Why it was cancelled.', max_length=200)),
                ('over_ms', models.BigIntegerField(help_text='When it was over or cancelled.', null=True)),
                ('template', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to='tables.template')),
            ],
            options={
                'permissions': [('run_tournament', 'Can pause, resume and cancel a tournament, and remove a player')],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('commitment', models.CharField(help_text='SHA-256, published before anybody may enter.', max_length=64)),
                ('sealed_seed', models.BinaryField()),
                ('entrants', models.JSONField(default=list, help_text='The ids of the entrants, in the order of entry.')),
                ('tables', models.PositiveIntegerField(default=0)),
                ('began_ms', models.BigIntegerField(null=True)),
                ('ended_ms', models.BigIntegerField(null=True)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drawn_rounds', to='tables.tournament')),
            ],
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('status', models.CharField(choices=[('in', 'In'), ('out', 'Out'), ('left', 'Left'), ('removed', 'removed by staff'), ('withdrawn', 'withdrawn before the start')], default='in', max_length=9)),
                ('entered_at', models.DateTimeField(auto_now_add=True)),
                ('table_id', models.BigIntegerField(db_index=True, help_text='Where they play, or played last.', null=True)),
                ('round', models.PositiveSmallIntegerField(default=0, help_text='The last round in which they had a seat.')),
                ('chips', models.BigIntegerField(default=0, help_text='Of an arena also below 0.')),
                ('deals', models.PositiveIntegerField(default=0, help_text='Finished ones.')),
                ('deals_won', models.PositiveIntegerField(default=0)),
                ('points_lost', models.PositiveIntegerField(default=0)),
                ('automatic', models.PositiveSmallIntegerField(default=0, help_text='So many turns in a row were played for them; from three on they are dropped at each deal.')),
                ('refilled', models.BooleanField(default=False, help_text='Of an arena: once, at 0 or below.')),
                ('waits_ms', models.BigIntegerField(help_text='Of an arena: since when they are free to be paired; none: they play, or are away.', null=True)),
                ('met', models.JSONField(default=list, help_text='Of an arena: the entrants at their last table.')),
                ('place', models.PositiveIntegerField(null=True)),
                ('prize', models.PositiveBigIntegerField(default=0)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tournament_entrants', to=settings.AUTH_USER_MODEL)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entrants', to='tables.tournament')),
            ],
            options={
                
            },
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(condition=models.Q(('over_ms', None)), fields=['next_ms'], name='tournament_due'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(fields=['status', 'starts_ms'], name='tournament_by_status'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(condition=models.Q(('status', 'over')), fields=['over_ms'], name='tournaments_as_they_ended'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.UniqueConstraint(fields=('template', 'number'), name='tournaments_of_a_template_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='rounds_of_a_tournament_are_numbered'),
        ),
        migrations.AddIndex(
            model_name='entrant',
            index=models.Index(fields=['tournament', '-round', '-chips', '-deals_won', 'points_lost', 'id'], name='entrant_standings'),
        ),
        migrations.AddIndex(
            model_name='entrant',
            index=models.Index(condition=models.Q(('waits_ms__isnull', False)), fields=['tournament', 'waits_ms'], name='entrant_waits'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'withdrawn'), _negated=True), fields=('tournament', 'user'), name='one_entry_a_tournament'),
        ),
        migrations.RunPython(install, remove),
    ]
