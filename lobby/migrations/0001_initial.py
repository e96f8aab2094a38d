import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
import lobby.accounts.models
import lobby.accounts.names
import lobby.stakes.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('username', models.CharField(error_messages={'unique': 'This name is taken. Please choose another.'}, help_text='3 to 20 characters: letters of one script, digits and _ . -', max_length=20, unique=True, validators=[lobby.accounts.names.check_username], verbose_name='name')),
                ('display_name', models.CharField(blank=True, help_text='What others see at the table. Empty: the name you sign in with.', max_length=20, validators=[lobby.accounts.names.check_display_name, lobby.accounts.names.not_reserved])),
                ('avatar', models.CharField(blank=True, choices=[('banyan', 'Banyan tree'), ('boat', 'Sailing boat'), ('camel', 'Camel'), ('chai', 'Glass of chai'), ('cobra', 'Cobra'), ('diya', 'Oil lamp'), ('elephant', 'Elephant'), ('kite', 'Kite'), ('lotus', 'Lotus'), ('mango', 'Mango'), ('moon', 'Moon and stars'), ('mountain', 'Mountains'), ('parrot', 'Parrot'), ('peacock', 'Peacock'), ('rickshaw', 'Auto rickshaw'), ('sitar', 'Sitar'), ('sun', 'Sun'), ('tabla', 'Tabla'), ('tiger', 'Tiger'), ('turban', 'Turban and moustache')], db_default='', help_text='What others see beside the name. None: its first letter.', max_length=20, verbose_name='picture')),
                ('hides_presence', models.BooleanField(db_default=False, default=False, help_text='Friends do not see when you are online, nor where you play.', verbose_name='hidden from friends')),
                ('refuses_requests', models.BooleanField(db_default=False, default=False, help_text='Nobody can ask you to be friends.', verbose_name='asked by nobody')),
                ('forbids_watching', models.BooleanField(db_default=False, default=False, help_text='Watchers see the deal before the running one with all hands. Ticked: at none of your tables but a final.', verbose_name='Hide my hands from watchers')),
                ('hides_rating', models.BooleanField(db_default=False, default=False, help_text='Your places stay; others read no name there and find no rating of yours.', verbose_name='Hide my name on the boards')),
                ('language', models.CharField(blank=True, db_default='', help_text='What the pages speak. Empty: what the browser asks for.', max_length=8)),
                ('is_guest', models.BooleanField(db_default=False, default=False, help_text='Has chosen no name and no password yet.', verbose_name='guest')),
                ('codes_offered_at', models.DateTimeField(editable=False, help_text='When they made recovery codes, or put the offer of them away.', null=True)),
                ('closed_at', models.DateTimeField(editable=False, help_text='By the player, and for good: nothing here tells who it was.', null=True, verbose_name='closed')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'permissions': [('lock_player', 'Can lock and unlock an account'), ('exclude_player', 'Can exclude a player from play, and lift what staff have set')],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='player_name_unique_in_any_case', violation_error_message='This name is taken. Please choose another.')],
            },
            managers=[
                ('objects', lobby.accounts.models.PlayerManager()),
            ],
        ),
        migrations.CreateModel(
            name='Stake',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(blank=True, help_text='Empty: a title is made from the book and the terms.', max_length=60)),
                ('book', models.CharField(choices=lobby.stakes.models.book_choices, max_length=40, verbose_name='rule book')),
                ('seats', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(6)])),
                ('currency', models.CharField(choices=lobby.stakes.models.currency_choices, default='FUN', max_length=10)),
                ('point_value', models.PositiveBigIntegerField(blank=True, help_text='Points and blind books: the price of one point.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('entry', models.PositiveBigIntegerField(blank=True, help_text='Pool and deals books: the entry each player pays.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('fee_percent', models.PositiveSmallIntegerField(default=10, help_text="The house's part of what is won.", validators=[django.core.validators.MaxValueValidator(50)], verbose_name='fee, percent')),
                ('minimum', models.PositiveBigIntegerField(blank=True, help_text='Points and blind books. Empty: 80 x the point value.', null=True, verbose_name='least buy-in')),
                ('maximum', models.PositiveBigIntegerField(blank=True, help_text='Points and blind books. Empty: no limit but the balance.', null=True, verbose_name='largest buy-in')),
                ('start_seconds', models.PositiveSmallIntegerField(blank=True, help_text="From the second player's seat to the deal. Empty: 10 s at two seats, 30 s at more.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='start')),
                ('full_seconds', models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='start, full table')),
                ('turn_seconds', models.PositiveSmallIntegerField(default=30, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='turn')),
                ('extra_seconds', models.PositiveSmallIntegerField(default=30, help_text="Added in every turn once the turn's own time is over.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='extra time')),
                ('meld_seconds', models.PositiveSmallIntegerField(default=45, help_text='For the declarer, then for the others together.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='meld')),
                ('result_seconds', models.PositiveSmallIntegerField(default=15, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='result')),
                ('prompt_seconds', models.PositiveSmallIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(600)], verbose_name='rejoin and split prompts')),
                ('active', models.BooleanField(db_index=True, default=True, help_text='Off: no longer in the lobby; running tables play on.')),
                ('order', models.SmallIntegerField(default=0, help_text='Smaller numbers come first in the lobby.')),
            ],
            options={
                'ordering': ['order', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('seats__gte', 2), ('seats__lte', 6)), name='stake_seats_2_to_6'), models.CheckConstraint(condition=models.Q(('fee_percent__lte', 50)), name='stake_fee_at_most_half'), models.CheckConstraint(condition=models.Q(models.Q(('entry__isnull', True), ('point_value__gt', 0), ('point_value__isnull', False)), models.Q(('entry__gt', 0), ('entry__isnull', False), ('maximum', None), ('minimum', None), ('point_value', None)), _connector='OR'), name='stake_point_value_or_entry'), models.CheckConstraint(condition=models.Q(('minimum__isnull', True), ('minimum__gte', django.db.models.expressions.CombinedExpression(models.F('point_value'), '*', models.Value(80))), _connector='OR'), name='stake_minimum_pays_a_full_count'), models.CheckConstraint(condition=models.Q(('maximum__isnull', True), models.Q(('maximum__gte', models.F('minimum')), ('minimum__isnull', False)), models.Q(('maximum__gte', django.db.models.expressions.CombinedExpression(models.F('point_value'), '*', models.Value(80))), ('minimum__isnull', True)), _connector='OR'), name='stake_maximum_not_below_minimum')],
            },
        ),
        migrations.CreateModel(
            name='MailOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('address', models.EmailField(max_length=254)),
                ('language', models.CharField(max_length=10)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Mute',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mutes', to=settings.AUTH_USER_MODEL)),
                ('muted', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'muted'), name='muted_once')],
            },
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to=settings.AUTH_USER_MODEL)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('text', models.CharField(max_length=500)),
            ],
            options={
                'indexes': [models.Index(fields=['player', '-id'], name='notes_on_a_player')],
            },
        ),
        migrations.CreateModel(
            name='PasswordCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='password_codes', to=settings.AUTH_USER_MODEL)),
                ('digest', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('used_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(help_text='Of one that support has given; else never.', null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'digest'), name='password_code_once')],
            },
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('how', models.CharField(choices=[('session', 'in a browser'), ('token', 'for a token'), ('code', 'with a code'), ('link', 'with a link by e-mail'), ('table', 'to a private table')], default='session', max_length=7)),
                ('succeeded', models.BooleanField(default=True)),
                ('address', models.GenericIPAddressField(null=True)),
                ('client', models.CharField(blank=True, help_text='What the browser or program calls itself.', max_length=200)),
            ],
            options={
                'verbose_name': 'sign-in',
                'indexes': [models.Index(fields=['player', '-id'], name='sign_ins_of_a_player')],
            },
        ),
        migrations.CreateModel(
            name='SupportRecovery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('status', models.CharField(choices=[('asked', 'waits for a second person'), ('granted', 'granted'), ('refused', 'refused')], default='asked', max_length=7)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(auto_now_add=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_reason', models.CharField(blank=True, max_length=500, verbose_name='why it was decided so')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='support_recoveries', to=settings.AUTH_USER_MODEL)),
                ('by_mail', models.BooleanField(default=False, help_text='Whether a link went to the confirmed e-mail address.')),
                ('notice_read_at', models.DateTimeField(help_text='When the player read of it.', null=True)),
                ('code_used_at', models.DateTimeField(help_text="Since when the password is one that its code has set, and none of the player's own.", null=True)),
            ],
            options={
                'verbose_name_plural': 'support recoveries',
                'permissions': [('recover_player', 'Can let somebody back into an account'), ('decide_recovery', 'Can grant or refuse it, as the second person')],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('decided_by', models.F('asked_by')), _negated=True), name='lobby_supportrecovery_two_people'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by', None), ('status', 'asked')), ('status', 'granted'), models.Q(('decided_by__isnull', False), ('status', 'refused')), _connector='OR'), name='lobby_supportrecovery_decided'), models.CheckConstraint(condition=models.Q(('asked_by', models.F('player')), _negated=True), name='support_recovery_not_of_oneself'), models.CheckConstraint(condition=models.Q(('decided_by', models.F('player')), _negated=True), name='support_recovery_not_own_account')],
            },
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to=settings.AUTH_USER_MODEL)),
                ('blocked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'blocked'), name='blocked_once')],
            },
        ),
        migrations.CreateModel(
            name='Friendship',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='friendships_asked', to=settings.AUTH_USER_MODEL)),
                ('asked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='friendships_offered', to=settings.AUTH_USER_MODEL)),
                ('status', models.CharField(choices=[('asked', 'Asked'), ('accepted', 'Accepted'), ('refused', 'Refused'), ('withdrawn', 'Withdrawn')], default='asked', max_length=9)),
                ('changed_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.comparison.Least('asker', 'asked'), django.db.models.functions.comparison.Greatest('asker', 'asked'), name='one_friendship_a_pair'), models.CheckConstraint(condition=models.Q(('asker', models.F('asked')), _negated=True), name='nobody_is_their_own_friend')],
            },
        ),
    ]
