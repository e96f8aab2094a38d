from django.db import migrations, models
from django.utils import timezone


def known(apps, schema_editor):
    """What there is was made by software that linked without a key, and wrote no act for heads, audits and limits.

    All of it is written into the trail as it stands, under the key. A new installation has nothing to write.
    """
    from wallet.audit_log.chain import entry_hash
    from wallet.audit_log.services import PLATFORM
    from wallet.audit_log.state import GRACE, row_columns, record_present_rows
    from wallet.ledger.keyed_links import KEYED, digest_of

    entries = apps.get_model('trail', 'AuditEntry')
    transfers = apps.get_model('wallet', 'Transfer').objects.order_by('pk').values_list('pk', 'seal')
    last = transfers.values_list('pk', flat=True).last()
    if last is not None:
        now = timezone.now()
        digest = digest_of(transfers.filter(pk__lte=last).iterator(chunk_size=5000))
        entry = entries(
            at=now,
            name=PLATFORM.name,
            what=KEYED,
            kind='wallet.transfer',
            object_id=str(last),
            shown=f'transfers up to {last}',
            reason='The upgrade from which on links are keyed.',
            after={'last': last, 'digest': digest, 'until': (now + GRACE).isoformat()},
            follows=entries.objects.order_by('-pk').values_list('seal', flat=True).first() or '',
        )
        entry.seal = entry_hash(entry)
        entry.save(force_insert=True)
    for app, name in (('wallet', 'DayHead'), ('wallet', 'AuditRun'), ('care', 'Limit'), ('care', 'Exclusion')):
        rows = apps.get_model(app, name).objects.order_by('pk')
        record_present_rows(f'{app}.{name.lower()}', {str(row.pk): row_columns(row) for row in rows.iterator()}, entries)


class Migration(migrations.Migration):

    dependencies = [
        ('care', '0002_player_lock'),
        ('trail', '0002_audit_entry'),
        ('wallet', '0002_day_sums'),
    ]

    operations = [
        migrations.AddField(
            model_name='posting',
            name='trail_entry',
            field=models.BigIntegerField(editable=False, help_text='The latest entry of the audit trail then; the links cover its seal.', null=True),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='seal',
            field=models.CharField(db_default='', default='', help_text='HMAC-SHA-256 of this transfer and of the seals before it on both its accounts.', max_length=64),
        ),
        migrations.RunPython(known, migrations.RunPython.noop),
    ]
