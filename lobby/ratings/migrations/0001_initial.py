import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RatedUntil',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('moment', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Contest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('match', 'Match'), ('series', 'series of ten deals'), ('arena', 'Arena'), ('knockout', 'knock-out')], max_length=8)),
                ('ref', models.BigIntegerField(help_text='The match, that of the last deal of a series, or the tournament.')),
                ('family', models.CharField(max_length=10)),
                ('ended_at', models.DateTimeField()),
                ('weight', models.FloatField(help_text='What it counts: less the more often the same people have met.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'ref'), name='a_contest_is_rated_once')],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('family', models.CharField(max_length=10)),
                ('mu', models.FloatField(default=25.0)),
                ('sigma', models.FloatField(default=8.333333333333334)),
                ('shown', models.IntegerField(default=1000, help_text='The rating that people read.')),
                ('matches', models.PositiveIntegerField(default=0)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['family', '-shown'], name='ratings_of_a_family')],
                'constraints': [models.UniqueConstraint(fields=('player', 'family'), name='one_rating_a_family')],
            },
        ),
        migrations.CreateModel(
            name='RatedResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('family', models.CharField(max_length=10)),
                ('ended_at', models.DateTimeField()),
                ('number', models.PositiveIntegerField(help_text="Counts the player's rated contests of the family from 1.")),
                ('place', models.PositiveIntegerField()),
                ('shows', models.PositiveIntegerField(help_text='Valid ones, in the deals of the contest.')),
                ('won', models.IntegerField(help_text='By how much the rating that people read changed.')),
                ('mu', models.FloatField()),
                ('sigma', models.FloatField()),
                ('contest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='ratings.contest')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rated_results', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['player', 'ended_at'], name='rated_results_of_a_player'), models.Index(fields=['family', 'ended_at'], name='rated_results_of_a_family')],
                'constraints': [models.UniqueConstraint(fields=('contest', 'player'), name='a_player_is_rated_once_a_contest')],
            },
        ),
    ]
