

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('keys', '0002_stored_sessions'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='key',
            name='unbound',
        ),
    ]
