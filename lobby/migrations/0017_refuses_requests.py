from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("lobby", "0016_names_of_every_script"),
    ]

    operations = [
        migrations.AddField(
            model_name="player",
            name="refuses_requests",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Nobody can ask you to be friends.",
                verbose_name="asked by nobody",
            ),
        ),
    ]
