from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0008_cut_off_deals'),
    ]

    operations = [
        migrations.AddField(
            model_name='pulse',
            name='refused_ms',
            field=models.BigIntegerField(help_text='Since when the database takes no moves; see `outages`.', null=True),
        ),
    ]
