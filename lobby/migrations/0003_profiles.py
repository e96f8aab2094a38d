from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lobby', '0002_rest'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='has_profile',
            field=models.BooleanField(db_default=False, default=False, help_text='Whoever is signed in can open it: your name, and below it all that you do not hide.', verbose_name='Have a profile page'),
        ),
        migrations.AddField(
            model_name='player',
            name='hides_deals',
            field=models.BooleanField(db_default=False, default=False, help_text='On your profile page. Those shared without names are never there.', verbose_name='Hide the deals that I share'),
        ),
        migrations.AddField(
            model_name='player',
            name='hides_friends',
            field=models.BooleanField(db_default=False, default=False, help_text='On your profile page; nor are you named on the pages of your friends.', verbose_name='Hide friends in common'),
        ),
        migrations.AddField(
            model_name='player',
            name='hides_matches',
            field=models.BooleanField(db_default=False, default=False, help_text='On your profile page and the boards.', verbose_name='Hide my matches and shows'),
        ),
        migrations.AddField(
            model_name='player',
            name='hides_places',
            field=models.BooleanField(db_default=False, default=False, help_text='On your profile page and the boards; the tournaments’ own pages keep them.', verbose_name='Hide my places in tournaments'),
        ),
        migrations.AddField(
            model_name='player',
            name='is_findable',
            field=models.BooleanField(db_default=False, default=False, help_text='In the search among friends, by the beginning of the name that others see.', verbose_name='Let others find me by name'),
        ),
    ]
