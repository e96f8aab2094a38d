from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('at_ms', models.BigIntegerField(help_text='By the clock of the database, in ms since 1970 UTC.')),
                ('trail_end', models.CharField(db_default='', default='', help_text='The last entry of the trail then, signed; of the sweep.', max_length=160)),
            ],
            options={
                'verbose_name': 'health',
                'verbose_name_plural': 'health',
            },
        ),
        migrations.CreateModel(
            name='TaskCount',
            fields=[
                ('name', models.CharField(max_length=80, primary_key=True, serialize=False)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('failed', models.PositiveBigIntegerField(default=0)),
                ('busy_ms', models.PositiveBigIntegerField(default=0, help_text='How long they took, all together.')),
                ('late_ms', models.PositiveBigIntegerField(default=0, help_text='How much later than due they began, all together.')),
                ('at_ms', models.BigIntegerField(default=0, help_text='When one last ended, in ms since 1970 UTC.')),
            ],
            options={
                'verbose_name': 'task',
            },
        ),
    ]
