import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lobby', '0005_shares_deals'),
        ('tables', '0001_initial'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='report',
            options={'permissions': [('handle_report', 'Can look at reports and close them')], 'verbose_name_plural': 'reports and complaints'},
        ),
        migrations.AlterField(
            model_name='report',
            name='deal',
            field=models.ForeignKey(help_text='None: a complaint.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='tables.deal'),
        ),
        migrations.AlterField(
            model_name='report',
            name='reporter',
            field=models.ForeignKey(help_text='None: not signed in.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='report',
            name='about',
            field=models.CharField(choices=[('together', 'Players seem to play together'), ('computer', 'A player seems to be a computer'), ('behaviour', 'A player behaves badly'), ('rules', 'The rules were not kept'), ('account', 'My account or my chips'), ('care', 'Limits, a break, an exclusion'), ('data', 'What is stored about me'), ('other', 'Something else')], max_length=10, verbose_name='what about'),
        ),
        migrations.AlterField(
            model_name='report',
            name='text',
            field=models.CharField(blank=True, max_length=4000, verbose_name='what happened'),
        ),
        migrations.AlterField(
            model_name='report',
            name='answer',
            field=models.CharField(blank=True, db_default='', max_length=2000, verbose_name='answer to the player'),
        ),
        migrations.AddField(
            model_name='report',
            name='email',
            field=models.EmailField(blank=True, db_default='', default='', help_text='Where the answer goes; taken away once it has gone.', max_length=254, verbose_name='e-mail'),
        ),
        migrations.AddField(
            model_name='report',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', help_text='In which it was written.', max_length=10),
        ),
        migrations.AddField(
            model_name='report',
            name='acknowledged_at',
            field=models.DateTimeField(null=True, verbose_name='taken up'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(('deal', None), ('reporter__isnull', False), _connector='OR'), name='report_of_a_deal_by_a_player'),
        ),
    ]
