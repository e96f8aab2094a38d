from django.db import migrations, models

import lobby.accounts.names


class Migration(migrations.Migration):
    dependencies = [
        ("lobby", "0015_mail_orders"),
    ]

    operations = [
        migrations.AlterField(
            model_name="player",
            name="display_name",
            field=models.CharField(
                blank=True,
                help_text="What others see at the table. Empty: the name you sign in with.",
                max_length=20,
                validators=[lobby.accounts.names.check_display_name, lobby.accounts.names.not_reserved],
            ),
        ),
        migrations.AlterField(
            model_name="player",
            name="username",
            field=models.CharField(
                error_messages={"unique": "This name is taken. Please choose another."},
                help_text=lobby.accounts.names.USERNAME_HELP,
                max_length=20,
                unique=True,
                validators=[lobby.accounts.names.check_username],
                verbose_name="name",
            ),
        ),
    ]
