from django.db import migrations, models


class Migration(migrations.Migration):
    """Processes of before go on in the column `snapshot`, and read an empty one from the events."""

    dependencies = [
        ('tables', '0004_shared_deals'),
    ]

    operations = [
        migrations.AlterField(
            model_name='table',
            name='snapshot',
            field=models.BinaryField(db_column='snapshot', default=bytes, help_text='The state now, as processes of before this release leave it.'),
        ),
        migrations.RenameField(model_name='table', old_name='snapshot', new_name='former_snapshot'),
        migrations.AddField(
            model_name='table',
            name='snapshot',
            field=models.BinaryField(db_column='state', db_default=b'', help_text='The state at `snapshot_version`, written by rules.game.codec and sealed; the events tell the rest.'),
        ),
        migrations.AddField(
            model_name='table',
            name='snapshot_version',
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
    ]
