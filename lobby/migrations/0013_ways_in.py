from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lobby", "0012_codes_offered"),
    ]

    operations = [
        migrations.AlterField(
            model_name="signin",
            name="how",
            field=models.CharField(
                choices=[
                    ("session", "in a browser"),
                    ("token", "for a token"),
                    ("code", "with a code"),
                    ("link", "with a link by e-mail"),
                    ("table", "to a private table"),
                ],
                default="session",
                max_length=7,
            ),
        ),
    ]
