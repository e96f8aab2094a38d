from django.db import migrations, models

from wallet.audit_log import triggers as guards
from wallet.audit_log.chain import seal

TABLES = ["trail_record"]


def take_guards_away(apps, schema_editor):
    guards.remove(schema_editor.connection, TABLES)


def set_guards_up(apps, schema_editor):
    guards.install(schema_editor.connection, TABLES)


def seal_what_is_there(apps, schema_editor):
    records = apps.get_model("trail", "Record").objects
    before = ""
    for record in records.order_by("pk").iterator():
        record.follows = before
        before = record.seal = seal(record)
        records.filter(pk=record.pk).update(follows=record.follows, seal=record.seal)


class Migration(migrations.Migration):

    dependencies = [("trail", "0001_initial")]

    operations = [
        migrations.RunPython(take_guards_away, set_guards_up),
        migrations.AddField(
            model_name="record",
            name="follows",
            field=models.CharField(db_default="", default="", editable=False, help_text="The seal before it.", max_length=64),
        ),
        migrations.AddField(
            model_name="record",
            name="seal",
            field=models.CharField(
                db_default="",
                default="",
                editable=False,
                help_text="HMAC-SHA-256 of the entry and of the seal before it, by a key made of the platform's secret.",
                max_length=64,
            ),
        ),
        migrations.RunPython(seal_what_is_there, migrations.RunPython.noop),
        migrations.RunPython(set_guards_up, take_guards_away),
    ]
