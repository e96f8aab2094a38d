from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lobby", "0013_ways_in"),
    ]

    operations = [
        migrations.AddField(
            model_name="supportrecovery",
            name="opened_at",
            field=models.DateTimeField(
                help_text="Since when the password is one that its code has set, and none of the player's own.", null=True
            ),
        ),
        migrations.AlterModelOptions(
            name="supportrecovery",
            options={
                "permissions": [
                    ("recover_player", "Can let somebody back into an account"),
                    ("approve_recovery", "Can approve or refuse it, as the second person"),
                ],
                "verbose_name_plural": "support recoveries",
            },
        ),
    ]
