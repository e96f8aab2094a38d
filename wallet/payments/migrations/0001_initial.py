import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from wallet.base import triggers


def install(apps, schema_editor):
    triggers.install(schema_editor.connection, triggers.append_only('gateways_event'))


def remove(apps, schema_editor):
    triggers.remove(schema_editor.connection, triggers.append_only('gateways_event'))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Identity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='identity', to=settings.AUTH_USER_MODEL)),
                ('jurisdiction', models.CharField(help_text='As ISO 3166-2 has it, such as IN-GA.', max_length=6, verbose_name='lives in')),
                ('birth_date', models.DateField()),
                ('terms', models.CharField(help_text='Their version.', max_length=20, verbose_name='terms accepted')),
                ('terms_at', models.DateTimeField(verbose_name='accepted at')),
                ('declared_at', models.DateTimeField()),
                ('verified_at', models.DateTimeField(null=True)),
                ('verified_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proved_at', models.DateTimeField(editable=False, help_text='Kept whatever becomes of it: it opens withdrawals.', null=True, verbose_name='first verified at')),
            ],
            options={
                'verbose_name_plural': 'identities',
                'permissions': [('verify_identity', 'Can verify what a player declares, and take that back')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('verified_at', None), ('verified_by', None)), models.Q(('verified_at__isnull', False), ('verified_by__isnull', False)), _connector='OR'), name='gateways_identity_verified_by_somebody'), models.CheckConstraint(condition=models.Q(('verified_by', models.F('player')), _negated=True), name='gateways_identity_not_by_himself'), models.CheckConstraint(condition=models.Q(('verified_at', None), ('proved_at__isnull', False), _connector='OR'), name='gateways_identity_proved_for_good')],
            },
        ),
        migrations.CreateModel(
            name='Deposit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('request', models.CharField(max_length=40)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('gateway', models.CharField(max_length=12)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField(help_text='In smallest units.')),
                ('asked_at', models.DateTimeField()),
                ('bank_reference', models.CharField(blank=True, help_text="The bank's own, as staff read it there.", max_length=40)),
                ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision', models.CharField(blank=True, max_length=500, verbose_name='why it was decided so')),
                ('reference', models.CharField(help_text='What the player quotes when paying.', max_length=12, unique=True)),
                ('status', models.CharField(choices=[('asked', 'waits for your payment'), ('confirmed', 'payment seen, waits for approval'), ('done', 'in your balance'), ('refused', 'refused'), ('cancelled', 'cancelled by you')], default='asked', max_length=9)),
            ],
            options={
                'permissions': [('confirm_deposit', 'Can confirm that a deposit has arrived'), ('approve_deposit', 'Can approve or refuse a deposit that another confirmed')],
                'abstract': False,
                'indexes': [models.Index(fields=['player', '-id'], name='gateways_deposits_of'), models.Index(condition=models.Q(('status__in', ['asked', 'confirmed'])), fields=['status'], name='gateways_deposits')],
                'constraints': [models.UniqueConstraint(fields=('player', 'request'), name='gateways_deposit_once'), models.UniqueConstraint(condition=models.Q(('bank_reference', ''), _negated=True), fields=('gateway', 'bank_reference'), name='gateways_deposit_bank_once', violation_error_message='This bank reference belongs to another one.'), models.CheckConstraint(condition=models.Q(('amount__gte', 1), ('amount__lte', 1000000000000000)), name='gateways_deposit_amount'), models.CheckConstraint(condition=models.Q(('currency__in', ('INR',))), name='gateways_deposit_real_money'), models.CheckConstraint(condition=models.Q(('confirmed_by', models.F('player')), _negated=True), name='gateways_deposit_not_confirms'), models.CheckConstraint(condition=models.Q(('decided_by', models.F('player')), _negated=True), name='gateways_deposit_not_decides'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), ('gateway', 'test'), models.Q(('confirmed_by__isnull', False), ('decided_by__isnull', False), models.Q(('decided_by', models.F('confirmed_by')), _negated=True)), _connector='OR'), name='gateways_deposit_two_people')],
            },
        ),
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('request', models.CharField(max_length=40)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('gateway', models.CharField(max_length=12)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField(help_text='In smallest units.')),
                ('asked_at', models.DateTimeField()),
                ('bank_reference', models.CharField(blank=True, help_text="The bank's own, as staff read it there.", max_length=40)),
                ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision', models.CharField(blank=True, max_length=500, verbose_name='why it was decided so')),
                ('status', models.CharField(choices=[('asked', 'on hold, waits for our staff'), ('confirmed', 'on hold, waits for approval'), ('paid', 'paid out'), ('refused', 'refused, returned to your balance'), ('cancelled', 'cancelled by you, returned to your balance')], default='asked', max_length=9)),
                ('destination', models.BinaryField(help_text='Where it goes, sealed: see `vault`.')),
                ('ending', models.CharField(help_text="The last four of the account's number.", max_length=4, verbose_name='account')),
            ],
            options={
                'permissions': [('confirm_withdrawal', 'Can see where a withdrawal goes, and confirm it'), ('approve_withdrawal', 'Can approve or refuse a withdrawal that another confirmed')],
                'abstract': False,
                'indexes': [models.Index(fields=['player', '-id'], name='gateways_withdrawals_of'), models.Index(condition=models.Q(('status__in', ['asked', 'confirmed'])), fields=['status'], name='gateways_withdrawals')],
                'constraints': [models.UniqueConstraint(fields=('player', 'request'), name='gateways_withdrawal_once'), models.UniqueConstraint(condition=models.Q(('bank_reference', ''), _negated=True), fields=('gateway', 'bank_reference'), name='gateways_withdrawal_bank_once', violation_error_message='This bank reference belongs to another one.'), models.CheckConstraint(condition=models.Q(('amount__gte', 1), ('amount__lte', 1000000000000000)), name='gateways_withdrawal_amount'), models.CheckConstraint(condition=models.Q(('currency__in', ('INR',))), name='gateways_withdrawal_real_money'), models.CheckConstraint(condition=models.Q(('confirmed_by', models.F('player')), _negated=True), name='gateways_withdrawal_not_confirms'), models.CheckConstraint(condition=models.Q(('decided_by', models.F('player')), _negated=True), name='gateways_withdrawal_not_decides'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'paid'), _negated=True), models.Q(('confirmed_by__isnull', False), ('decided_by__isnull', False), models.Q(('decided_by', models.F('confirmed_by')), _negated=True)), _connector='OR'), name='gateways_withdrawal_two_people')],
            },
        ),
        migrations.CreateModel(
            name='GatewayEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('gateway', models.CharField(max_length=12)),
                ('event', models.CharField(help_text="The gateway's own name for it.", max_length=60)),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(max_length=40)),
                ('reference', models.CharField(max_length=40)),
                ('amount', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('digest', models.CharField(help_text='SHA-256 of what was sent.', max_length=64)),
                ('outcome', models.CharField(choices=[('applied', 'applied'), ('ignored', 'nothing to do'), ('unknown_reference', 'no such deposit'), ('wrong_amount', 'another amount was asked for'), ('wrong_currency', 'another currency was asked for'), ('closed', 'the deposit was closed already'), ('not_eligible', 'the player may not play for money')], max_length=20)),
                ('deposit', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='gateways.deposit')),
            ],
            options={
                'db_table': 'gateways_event',
                'constraints': [models.UniqueConstraint(fields=('gateway', 'event'), name='gateways_event_once')],
            },
        ),
        migrations.RunPython(install, remove),
    ]
