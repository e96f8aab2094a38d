from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Key',
            fields=[
                ('fingerprint', models.CharField(help_text='Of the key, which it does not tell.', max_length=32, primary_key=True, serialize=False)),
                ('known_at', models.DateTimeField(auto_now_add=True)),
                ('used_at', models.DateTimeField(help_text='From here on something may be sealed with it.', null=True)),
                ('dropped_at', models.DateTimeField(help_text='Since then nothing is sealed with it any more.', null=True)),
                ('checkers', models.BinaryField(help_text='What checks signatures of a dropped key, sealed.', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='StoredSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user_id', models.BigIntegerField(db_index=True, null=True)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
    ]
