import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers
from wallet.ledger.triggers import TRIGGERS


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
            name='AuditRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(db_index=True)),
                ('ended_at', models.DateTimeField()),
                ('accounts', models.PositiveBigIntegerField()),
                ('postings', models.PositiveBigIntegerField()),
                ('transfers', models.PositiveBigIntegerField()),
                ('differences', models.PositiveIntegerField(help_text='How many were found.')),
                ('findings', models.JSONField(default=list, help_text='The first of them, by name.')),
            ],
            options={
                'permissions': [('view_finance', 'Can see the finance pages and export the ledger'), ('lift_freeze', 'Can let settlement go on after a difference')],
            },
        ),
        migrations.CreateModel(
            name='DayHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(unique=True)),
                ('transfers', models.PositiveBigIntegerField(help_text='How many the day had.')),
                ('last_transfer', models.PositiveBigIntegerField(help_text='Its id.')),
                ('digest', models.CharField(help_text="SHA-256 of the day's seals and of the signed day before.", max_length=64)),
                ('signature', models.CharField(help_text="HMAC-SHA-256, by a key made of the platform's secret.", max_length=64)),
                ('signed_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('player', "Player's balance"), ('stack', 'Stack at a table'), ('pot', 'Pot of a match'), ('fees', 'Fees'), ('issuance', 'Issuance'), ('practice', 'Practice house')], max_length=12)),
                ('reference', models.CharField(help_text='user, seating, match or tournament, each with its id; or house.', max_length=40)),
                ('currency', models.CharField(max_length=10)),
                ('owner', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to=settings.AUTH_USER_MODEL)),
                ('balance', models.BigIntegerField(default=0, editable=False)),
                ('head', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Seal of its latest transfer.', max_length=64)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('kind', 'player'), ('balance__gt', 0), _connector='OR'), fields=['owner'], name='wallet_account_held'), models.Index(condition=models.Q(('balance__gt', 0), ('kind', 'pot')), fields=['kind'], name='wallet_account_pots')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'reference', 'currency'), name='wallet_account_one_each'), models.UniqueConstraint(condition=models.Q(('kind__in', ['stack', 'pot'])), fields=('kind', 'reference'), name='wallet_account_one_currency'), models.CheckConstraint(condition=models.Q(('kind__in', ['player', 'stack', 'pot', 'fees', 'issuance', 'practice'])), name='wallet_account_kind'), models.CheckConstraint(condition=models.Q(('balance__gte', 0), ('kind__in', ('issuance', 'practice')), _connector='OR'), name='wallet_account_not_negative'), models.CheckConstraint(condition=models.Q(('kind', 'stack'), models.Q(('kind', 'player'), ('owner__isnull', False)), models.Q(('kind__in', ['pot', 'fees', 'issuance', 'practice']), ('owner__isnull', True)), _connector='OR'), name='wallet_account_owner')],
            },
        ),
        migrations.CreateModel(
            name='Acknowledgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('status', models.CharField(choices=[('asked', 'waits for a second person'), ('granted', 'granted'), ('refused', 'refused')], default='asked', max_length=7)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(auto_now_add=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_reason', models.CharField(blank=True, max_length=500, verbose_name='why it was decided so')),
                ('digest', models.CharField(help_text='SHA-256 of what was found.', max_length=64, unique=True)),
                ('check_name', models.CharField(max_length=60, verbose_name='check')),
                ('subject', models.CharField(max_length=300, verbose_name='about')),
                ('message', models.TextField(verbose_name='what was found')),
            ],
            options={
                'verbose_name': 'acknowledged difference',
                'permissions': [('ask_acknowledgement', 'Can ask for a difference to be acknowledged'), ('decide_acknowledgement', 'Can grant or refuse what another asked for')],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('decided_by', models.F('asked_by')), _negated=True), name='wallet_acknowledgement_two_people'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by', None), ('status', 'asked')), ('status', 'granted'), models.Q(('decided_by__isnull', False), ('status', 'refused')), _connector='OR'), name='wallet_acknowledgement_decided')],
            },
        ),
        migrations.CreateModel(
            name='Adjustment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('status', models.CharField(choices=[('asked', 'waits for a second person'), ('granted', 'granted'), ('refused', 'refused')], default='asked', max_length=7)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(auto_now_add=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_reason', models.CharField(blank=True, max_length=500, verbose_name='why it was decided so')),
                ('request_id', models.CharField(max_length=40, unique=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjustments', to=settings.AUTH_USER_MODEL)),
                ('currency', models.CharField(max_length=10)),
                ('amount', models.BigIntegerField(help_text='In smallest units; below 0 what is taken away.')),
                ('posting_key', models.CharField(blank=True, help_text='Of its posting, once there is one.', max_length=100)),
            ],
            options={
                'permissions': [('ask_adjustment', 'Can ask for an adjustment'), ('decide_adjustment', 'Can grant or refuse what another asked for')],
                'abstract': False,
                'indexes': [models.Index(fields=['player', '-asked_at'], name='wallet_adjusted_players')],
                'constraints': [models.CheckConstraint(condition=models.Q(('decided_by', models.F('asked_by')), _negated=True), name='wallet_adjustment_two_people'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by', None), ('status', 'asked')), ('status', 'granted'), models.Q(('decided_by__isnull', False), ('status', 'refused')), _connector='OR'), name='wallet_adjustment_decided'), models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='wallet_adjustment_amount'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'granted'), models.Q(('posting_key', ''), _negated=True)), models.Q(models.Q(('status', 'granted'), _negated=True), ('posting_key', '')), _connector='OR'), name='wallet_adjustment_posted')],
            },
        ),
        migrations.CreateModel(
            name='Closing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('zone', models.CharField(help_text='Whose days these are.', max_length=64)),
                ('after', models.PositiveBigIntegerField()),
                ('last', models.PositiveBigIntegerField()),
                ('made_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('zone', 'after'), name='wallet_closing_once')],
            },
        ),
        migrations.CreateModel(
            name='ExportRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('via', models.CharField(help_text='The page, the API, or the command and the account it ran under.', max_length=60)),
                ('first_day', models.DateField(help_text='In the report zone.')),
                ('last_day', models.DateField(help_text='In the report zone.')),
                ('currency', models.CharField(blank=True, help_text='Empty: all.', max_length=10)),
                ('format', models.CharField(max_length=5)),
                ('rows', models.PositiveBigIntegerField()),
                ('as_of', models.PositiveBigIntegerField(help_text='The id of the last transfer in it, or of the one asked for.')),
                ('digest', models.CharField(help_text='SHA-256 of the file.', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='Posting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100, unique=True)),
                ('digest', models.CharField(help_text='SHA-256 of the key, the reason, the transfers and the place.', max_length=64)),
                ('reason', models.CharField(choices=[('sign_up', 'Welcome chips'), ('refill', 'Daily refill'), ('buy_in', 'Took a seat'), ('add_chips', 'Added chips at the table'), ('deal', 'Deal settled'), ('cash_out', 'Left the table'), ('entry', 'Entry to a match'), ('rejoin', 'Rejoined a match'), ('prize', 'Prize of a match'), ('refund', 'Match cancelled, entry returned'), ('t_entry', 'Entry to a tournament'), ('t_prize', 'Prize of a tournament'), ('t_refund', 'Entry to a tournament returned'), ('t_chips', 'Tournament chips issued'), ('t_back', 'Tournament chips taken back'), ('adjust', 'Adjusted by our staff'), ('forfeit', 'Forfeited when the account was closed')], max_length=12)),
                ('created_at', models.DateTimeField(db_index=True)),
                ('at_table', models.BigIntegerField(help_text='None: not made in play.', null=True, verbose_name='table')),
                ('at_match', models.BigIntegerField(null=True, verbose_name='match')),
                ('at_deal', models.BigIntegerField(null=True, verbose_name='deal')),
                ('at_stake', models.BigIntegerField(help_text='None at a table: practice.', null=True, verbose_name='stake')),
                ('at_book', models.CharField(db_default='', default='', max_length=40, verbose_name='rule book')),
                ('at_title', models.CharField(db_default='', default='', max_length=80, verbose_name='title of the table')),
                ('trail_entry', models.BigIntegerField(editable=False, help_text='The latest entry of the audit trail then; the links cover its seal.', null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('at_table__isnull', False)), fields=['at_table'], name='wallet_posting_at_table')],
                'constraints': [models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='wallet_posting_key'), models.CheckConstraint(condition=models.Q(('reason__in', ['sign_up', 'refill', 'buy_in', 'add_chips', 'deal', 'cash_out', 'entry', 'rejoin', 'prize', 'refund', 't_entry', 't_prize', 't_refund', 't_chips', 't_back', 'adjust', 'forfeit'])), name='wallet_posting_reason')],
            },
        ),
        migrations.CreateModel(
            name='Freeze',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField()),
                ('reason', models.CharField(max_length=300)),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='wallet.auditrun')),
                ('note', models.CharField(blank=True, help_text='Why it is to be lifted.', max_length=300)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('lifted_by', models.F('asked_by')), _negated=True), name='wallet_freeze_lifted_by_two')],
            },
        ),
        migrations.CreateModel(
            name='DaySum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sums', to='wallet.closing')),
                ('day', models.DateField()),
                ('currency', models.CharField(max_length=10)),
                ('reason', models.CharField(choices=[('sign_up', 'Welcome chips'), ('refill', 'Daily refill'), ('buy_in', 'Took a seat'), ('add_chips', 'Added chips at the table'), ('deal', 'Deal settled'), ('cash_out', 'Left the table'), ('entry', 'Entry to a match'), ('rejoin', 'Rejoined a match'), ('prize', 'Prize of a match'), ('refund', 'Match cancelled, entry returned'), ('t_entry', 'Entry to a tournament'), ('t_prize', 'Prize of a tournament'), ('t_refund', 'Entry to a tournament returned'), ('t_chips', 'Tournament chips issued'), ('t_back', 'Tournament chips taken back'), ('adjust', 'Adjusted by our staff'), ('forfeit', 'Forfeited when the account was closed')], max_length=12)),
                ('debit_kind', models.CharField(choices=[('player', "Player's balance"), ('stack', 'Stack at a table'), ('pot', 'Pot of a match'), ('fees', 'Fees'), ('issuance', 'Issuance'), ('practice', 'Practice house')], max_length=12)),
                ('debit_unowned', models.BooleanField(help_text="The account that paid is nobody's: the house's, a computer's.")),
                ('credit_kind', models.CharField(choices=[('player', "Player's balance"), ('stack', 'Stack at a table'), ('pot', 'Pot of a match'), ('fees', 'Fees'), ('issuance', 'Issuance'), ('practice', 'Practice house')], max_length=12)),
                ('credit_unowned', models.BooleanField(help_text="The account that was paid is nobody's.")),
                ('transfers', models.PositiveBigIntegerField()),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['currency', 'day'], name='wallet_daysum_day')],
            },
        ),
        migrations.CreateModel(
            name='PlaceSum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='place_sums', to='wallet.closing')),
                ('day', models.DateField()),
                ('currency', models.CharField(max_length=10)),
                ('reason', models.CharField(choices=[('sign_up', 'Welcome chips'), ('refill', 'Daily refill'), ('buy_in', 'Took a seat'), ('add_chips', 'Added chips at the table'), ('deal', 'Deal settled'), ('cash_out', 'Left the table'), ('entry', 'Entry to a match'), ('rejoin', 'Rejoined a match'), ('prize', 'Prize of a match'), ('refund', 'Match cancelled, entry returned'), ('t_entry', 'Entry to a tournament'), ('t_prize', 'Prize of a tournament'), ('t_refund', 'Entry to a tournament returned'), ('t_chips', 'Tournament chips issued'), ('t_back', 'Tournament chips taken back'), ('adjust', 'Adjusted by our staff'), ('forfeit', 'Forfeited when the account was closed')], max_length=12)),
                ('debit_kind', models.CharField(choices=[('player', "Player's balance"), ('stack', 'Stack at a table'), ('pot', 'Pot of a match'), ('fees', 'Fees'), ('issuance', 'Issuance'), ('practice', 'Practice house')], max_length=12)),
                ('credit_kind', models.CharField(choices=[('player', "Player's balance"), ('stack', 'Stack at a table'), ('pot', 'Pot of a match'), ('fees', 'Fees'), ('issuance', 'Issuance'), ('practice', 'Practice house')], max_length=12)),
                ('at_table', models.BigIntegerField(null=True)),
                ('at_stake', models.BigIntegerField(null=True)),
                ('at_book', models.CharField(max_length=40)),
                ('at_title', models.CharField(max_length=80)),
                ('account', models.CharField(help_text='Of the stack or pot, where nobody said at which table.', max_length=40)),
                ('transfers', models.PositiveBigIntegerField()),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['currency', 'day'], name='wallet_placesum_day')],
            },
        ),
        migrations.CreateModel(
            name='FeeSum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fee_sums', to='wallet.closing')),
                ('day', models.DateField()),
                ('currency', models.CharField(max_length=10)),
                ('player', models.ForeignKey(help_text='None: computer players.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('transfers', models.PositiveBigIntegerField()),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['currency', 'day'], name='wallet_feesum_day')],
            },
        ),
        migrations.CreateModel(
            name='Transfer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('posting', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='wallet.posting')),
                ('line', models.PositiveSmallIntegerField(help_text='Place within the posting, from 0.')),
                ('debit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='debits', to='wallet.account')),
                ('credit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='credits', to='wallet.account')),
                ('amount', models.BigIntegerField()),
                ('debit_balance', models.BigIntegerField()),
                ('credit_balance', models.BigIntegerField()),
                ('seal', models.CharField(db_default='', default='', help_text='HMAC-SHA-256 of this transfer and of the seals before it on both its accounts.', max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['debit', 'id'], name='wallet_transfer_debit'), models.Index(fields=['credit', 'id'], name='wallet_transfer_credit')],
                'constraints': [models.UniqueConstraint(fields=('posting', 'line'), name='wallet_transfer_line'), models.CheckConstraint(condition=models.Q(('amount__gte', 1), ('amount__lte', 1000000000000000)), name='wallet_transfer_amount'), models.CheckConstraint(condition=models.Q(('debit', models.F('credit')), _negated=True), name='wallet_transfer_two_sides')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
