from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lobby', '0004_hosted_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='shares_deals',
            field=models.BooleanField(db_default=False, default=False, help_text='Without names, and only where everybody in the deal has ticked this. Your decisions may become puzzles, and the cards may be downloaded by whoever checks how they fall. Nothing is taken of a deal that runs, nor anything more once you untick it; what was made before stays.', verbose_name='Give my finished deals to puzzles and statistics'),
        ),
    ]
