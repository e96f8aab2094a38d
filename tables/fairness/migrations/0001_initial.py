from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='FairnessSum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('book', models.CharField(max_length=40)),
                ('players', models.PositiveSmallIntegerField(help_text='Dealt in.')),
                ('holders', models.CharField(help_text='Whose hands; void: only counts deals without a result.', max_length=9)),
                ('seat', models.SmallIntegerField(help_text='-1: all seats of a deal together.')),
                ('hands', models.PositiveSmallIntegerField(help_text='Held by them in each deal.')),
                ('deals', models.PositiveBigIntegerField(default=0)),
                ('tosses', models.PositiveBigIntegerField(default=0)),
                ('tosses_won', models.PositiveBigIntegerField(default=0)),
                ('firsts', models.PositiveBigIntegerField(default=0, help_text='Deals in which they had the first turn.')),
                ('first_wins', models.PositiveBigIntegerField(default=0, help_text='Of these, deals that they won.')),
                ('wins', models.PositiveBigIntegerField(default=0)),
                ('printed', models.PositiveBigIntegerField(default=0, help_text='Printed jokers in first hands.')),
                ('wild', models.PositiveBigIntegerField(default=0, help_text='Cards of the wild rank in first hands.')),
                ('points', models.PositiveBigIntegerField(default=0, help_text='Of all cards in first hands.')),
                ('pure', models.PositiveBigIntegerField(default=0, help_text='First hands with a run of three of a suit.')),
                ('faces', models.JSONField(default=dict, help_text='Cards in first hands by face; for all seats together only.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'book', 'players', 'holders', 'seat', 'hands'), name='fairness_is_summed_once')],
            },
        ),
        migrations.CreateModel(
            name='SummedUntil',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('moment', models.DateTimeField(null=True)),
            ],
        ),
    ]
