from django.db import migrations


class Migration(migrations.Migration):
    """A new name for the model alone: its table keeps its own, which the software of before knows."""

    dependencies = [
        ('care', '0001_initial'),
    ]

    operations = [
        migrations.AlterModelTable('Person', 'care_person'),
        migrations.RenameModel('Person', 'PlayerLock'),
    ]
