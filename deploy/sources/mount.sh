#!/bin/sh
# mount.sh REMOTE FOLDER - mounts an rclone remote (":s3:BUCKET", ":http:", ...) read-only at FOLDER, until it is ended.
# The remote's own settings, and others than these, are variables of rclone: RCLONE_S3_ENDPOINT, RCLONE_DIR_CACHE_TIME, ...
set -eu
# A change in the source is seen after at most so long, and then by posed within its --watch-interval.
export RCLONE_DIR_CACHE_TIME="${RCLONE_DIR_CACHE_TIME:-10s}" RCLONE_ATTR_TIMEOUT="${RCLONE_ATTR_TIMEOUT:-1s}"
# A source that is gone is an error soon: posed then answers from what it has, and asks again.
export RCLONE_CONTIMEOUT="${RCLONE_CONTIMEOUT:-3s}" RCLONE_TIMEOUT="${RCLONE_TIMEOUT:-10s}" RCLONE_LOW_LEVEL_RETRIES="${RCLONE_LOW_LEVEL_RETRIES:-2}"
# What is left of a mount whose rclone was killed makes every look at the folder fail.
fusermount3 -u -z "$2" 2>/dev/null || true
exec rclone mount "$1" "$2" --read-only --allow-other
