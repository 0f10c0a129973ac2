#!/bin/sh
# sync.sh REMOTE FOLDER [SECONDS] - makes FOLDER what the rclone remote holds, every SECONDS (default 30), until it is ended. The remote's own
# settings, and others than these, are variables of rclone: RCLONE_S3_ENDPOINT, RCLONE_CHECKSUM, ...
# A source that cannot be listed changes nothing: rclone deletes only after it has seen the whole list.
set -u
trap 'kill "$child" 2>/dev/null; exit 0' TERM INT
while :; do
    rclone sync "$1" "$2" --delete-after --exclude '.*' &
    child=$!
    wait "$child" || echo "sync: rclone failed with $?; the folder stays as it is" >&2
    sleep "${3:-30}" &
    child=$!
    wait "$child"
done
