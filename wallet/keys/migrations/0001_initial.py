from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Key',
            fields=[
                ('fingerprint', models.CharField(help_text='Identifies the key and does not reveal it.', max_length=32, primary_key=True, serialize=False)),
                ('recorded_at', models.DateTimeField(auto_now_add=True)),
                ('activated_at', models.DateTimeField(help_text='From here on something may be sealed with it.', null=True)),
                ('retired_at', models.DateTimeField(help_text='Since then nothing is sealed with it any more.', null=True)),
                ('verifiers', models.BinaryField(help_text='What checks the signatures of a retired key, sealed.', null=True)),
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
