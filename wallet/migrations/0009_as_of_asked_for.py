from django.db import migrations, models


class Migration(migrations.Migration):
    """Words only: an export may be asked for as of a transfer."""

    dependencies = [("wallet", "0008_guards_anew")]

    operations = [
        migrations.AlterField(
            model_name="exportrecord",
            name="as_of",
            field=models.PositiveBigIntegerField(help_text="The id of the last transfer in it, or of the one asked for."),
        ),
    ]
