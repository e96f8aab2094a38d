from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lobby", "0004_company")]

    operations = [
        migrations.AddField(
            model_name="player",
            name="language",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="What the pages speak. Empty: what the browser asks for.",
                max_length=8,
            ),
        ),
    ]
