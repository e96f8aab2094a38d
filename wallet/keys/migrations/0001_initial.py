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
                ('unbound', models.BooleanField(default=False, help_text='It opens seals of before these were bound to their rows.')),
                ('checkers', models.BinaryField(help_text='What checks signatures of a dropped key, sealed.', null=True)),
            ],
        ),
    ]
