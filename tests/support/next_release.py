"""The next release, for tests of upgrades: a program's beginning that plants a migration of it into each of some apps.

They add columns, to tables that are in play among them. SQLite makes such a table anew, and would have to lay down the
triggers of the books first: there the wallet stays as it is.
"""

NEXT = """
import os, django
django.setup()
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PLANTED = {"lobby": ("stake", "player"), "tables": ("table", "seating")}
if connection.vendor == "postgresql":
    PLANTED["wallet"] = ("account", "posting")

def step(app, before):
    class Migration(migrations.Migration):
        dependencies = [(app, before)]
        operations = [
            migrations.AddField(model, "planted", models.IntegerField(db_default=7)) for model in PLANTED[app]
        ]
    return Migration("9998_planted", app)

load = MigrationLoader.load_disk
def load_more(self):
    load(self)
    for app in PLANTED:
        before = max(name for label, name in self.disk_migrations if label == app)
        self.disk_migrations[app, "9998_planted"] = step(app, before)
MigrationLoader.load_disk = load_more
"""
