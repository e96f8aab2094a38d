#!/bin/sh
# restore.sh BACKUP FOLDER MOMENT, as PostgreSQL's own user:
#   restore.sh /var/backups/rummy/base/20261122T203000Z /var/lib/postgresql/restored "2026-11-23 14:05:00+05:30"
# The folder is a database cluster afterwards that, when it is started, goes on from the backup to the last change
# before the moment. Nothing of the running database is touched.
set -eu
: "${BACKUPS:=/var/backups/rummy}"
backup=$1 folder=$2 moment=$3

mkdir -p -m 700 "$folder"
if [ -n "$(ls -A "$folder")" ]; then
    echo "$folder is not empty: give a folder that is, or none that is there." >&2
    exit 2
fi
tar -xzf "$backup/base.tar.gz" -C "$folder"
cat >>"$folder/postgresql.auto.conf" <<END
restore_command = 'cp "$BACKUPS/wal/%f" "%p"'
recovery_target_time = '$moment'
recovery_target_action = 'promote'
# What happens in the copy does not belong into the archive of the original.
archive_mode = off
END
touch "$folder/recovery.signal"
