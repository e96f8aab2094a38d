#!/bin/sh
# A base backup into $BACKUPS/base, taken while everybody plays. The last $KEEP stay, and of the archive of changes what
# they need. As a role that may replicate; PGHOST, PGPORT and PGUSER lead to PostgreSQL.
set -eu
: "${BACKUPS:=/var/backups/rummy}" "${KEEP:=3}"

taken=$BACKUPS/base/$(date -u +%Y%m%dT%H%M%SZ)
pg_basebackup --pgdata="$taken.part" --format=tar --gzip --wal-method=fetch --checkpoint=fast
mv "$taken.part" "$taken"

find "$BACKUPS/base" -mindepth 1 -maxdepth 1 -name '*Z' | sort | head -n "-$KEEP" | while read -r old; do rm -r "$old"; done
oldest=$(find "$BACKUPS/base" -mindepth 1 -maxdepth 1 -name '*Z' | sort | head -n 1)
first=$(tar -xzOf "$oldest/base.tar.gz" backup_label | sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\)).*/\1/p')
pg_archivecleanup "$BACKUPS/wal" "$first"
echo "$taken"
