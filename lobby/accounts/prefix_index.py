"""An index by which the beginnings of texts are found in any case, on both databases."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement, Table
from django.db.models import Index, Model

#: What `istartswith` compares: PostgreSQL the text in capitals, SQLite the text without regard to case.
_COMPARED = {"postgresql": "UPPER({column}::text) text_pattern_ops", "sqlite": "{column} COLLATE NOCASE"}


class PrefixIndex(Index):
    """The index of one text column by which `istartswith` needs not read every row."""

    def create_sql(
        self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        """Return the statement that makes the index; SQLite can rename its table in it when it rebuilds that."""
        quote = schema_editor.quote_name
        column = str(getattr(model._meta.get_field(self.fields[0]), "column", ""))
        return Statement(
            f"CREATE INDEX {quote(self.name)} ON %(table)s"
            f" ({_COMPARED[schema_editor.connection.vendor].format(column=quote(column))})",
            table=Table(model._meta.db_table, quote),
        )
