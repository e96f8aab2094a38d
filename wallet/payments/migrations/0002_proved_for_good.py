from django.conf import settings
from django.db import migrations, models
from django.db.models import Min, Q


def remember(apps, schema_editor):
    """Who is verified, or was before it was taken back or he declared something else, has been verified once."""
    Identity, Record = apps.get_model("gateways", "Identity"), apps.get_model("trail", "Record")
    seen = Record.objects.filter(what="identity.verify", kind="gateways.identity").order_by()
    first = dict(seen.values_list("object_id").annotate(Min("at")))
    for row in Identity.objects.all():
        row.proved_at = first.get(str(row.pk), row.verified_at)
        row.save(update_fields=["proved_at"])


class Migration(migrations.Migration):
    dependencies = [
        ("gateways", "0001_initial"),
        ("trail", "__first__"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="identity",
            name="proved_at",
            field=models.DateTimeField(
                editable=False,
                help_text="Kept whatever becomes of it: it opens withdrawals.",
                null=True,
                verbose_name="first verified at",
            ),
        ),
        migrations.RunPython(remember, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="identity",
            constraint=models.CheckConstraint(
                condition=Q(verified_at=None) | Q(proved_at__isnull=False), name="gateways_identity_proved_for_good"
            ),
        ),
    ]
