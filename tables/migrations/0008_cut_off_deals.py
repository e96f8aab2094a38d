"""End the deals that a match was settled over: they were void, and their seeds may be seen from then on.

A release before let a player who was out of a pool end the running deal by leaving; its row stayed `playing`.
"""

from django.db import migrations
from django.db.models import F


def end_cut_off_deals(apps, schema_editor):
    deals = apps.get_model("tables", "Deal").objects.using(schema_editor.connection.alias)
    cut_off = deals.filter(status="playing").exclude(match__status="open")
    for pk, ended_at in cut_off.values_list("pk", F("match__ended_at")):
        deals.filter(pk=pk, status="playing").update(status="void", ended_at=ended_at)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0007_practice_strength"),
    ]

    operations = [
        migrations.RunPython(end_cut_off_deals, migrations.RunPython.noop, elidable=True),
    ]
