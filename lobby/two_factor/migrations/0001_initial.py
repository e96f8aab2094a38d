import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('lobby', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Authenticator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='authenticator', to=settings.AUTH_USER_MODEL)),
                ('sealed_secret', models.BinaryField(help_text='What the codes are made of, encrypted.')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('last_step', models.BigIntegerField(default=0, help_text='The half minute of the last code: none works twice.')),
                ('token_digest', models.CharField(blank=True, help_text='Of the one API token given for a code.', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('authenticator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to='two_factor.authenticator')),
                ('digest', models.CharField(max_length=64)),
                ('used_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('authenticator', 'digest'), name='recovery_code_once')],
            },
        ),
    ]
