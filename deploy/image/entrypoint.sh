#!/bin/sh
# The container's first process: serves /models if it is a volume or has files, as in an image that models were copied into;
# otherwise the sample models, and says so. It tells a folder or files that its user may not read from an empty folder. It takes
# uploads only into a folder of a volume, because others are gone with the container. Options go to posed as they are.
set -eu
say() { echo "posed: $*" >&2; }

for argument in "$@"; do
    case $argument in
    --root | --root=* | --help | --version | --health | --check-config) exec posed "$@" ;;
    esac
done
models=/models
# Whether a volume is mounted on the folder or on one that it lies in.
is_on_volume() {
    folder=$1
    while [ "$folder" != / ] && [ "$folder" != . ]; do
        ! grep -q " $folder " /proc/self/mountinfo || return 0
        folder=$(dirname "$folder")
    done
    return 1
}
if [ -n "${POSED_UPLOADS:-}" ]; then
    case $POSED_UPLOADS in /*) ;; *) POSED_UPLOADS=${POSED_ROOT:-$models}/$POSED_UPLOADS ;; esac
    if ! is_on_volume "$POSED_UPLOADS"; then
        say "POSED_UPLOADS=$POSED_UPLOADS lies on no volume, so there are no uploads" \
            "(docker run -v posed-uploads:$models/uploads -e POSED_UPLOADS=$models/uploads ...)"
        unset POSED_UPLOADS
    elif ! mkdir -p "$POSED_UPLOADS" || [ ! -w "$POSED_UPLOADS" ]; then
        say "user $(id -u) cannot write POSED_UPLOADS=$POSED_UPLOADS; make it writable or run with --user"
        exit 2
    else
        export POSED_UPLOADS
    fi
fi
if [ -z "${POSED_ROOT:-}" ]; then
    case ${POSED_UPLOADS:-} in "$models"/*) has_uploads=1 ;; *) has_uploads= ;; esac
    if [ ! -r "$models" ] || [ ! -x "$models" ]; then
        say "cannot read the folder $models as user $(id -u); make it readable (chmod o+rX) or run with --user"
        exit 2
    elif [ -z "$has_uploads" ] && ! grep -q " $models " /proc/self/mountinfo &&
        [ -z "$(find "$models" ! -type d -print -quit 2>/dev/null)" ]; then
        POSED_ROOT=/usr/share/posed/samples
        say "$models is empty and nothing is mounted there: serving the sample models (docker run -v \"\$PWD:$models:ro\" ...)"
    else
        POSED_ROOT=$models
        unreadable=$(find "$models" ! -readable ! -type l 2>/dev/null | head -n 1)
        [ -z "$unreadable" ] ||
            say "user $(id -u) cannot read some of the files, such as $unreadable; make them readable" \
                "(chmod -R o+rX) or run with --user"
    fi
    export POSED_ROOT
fi
exec posed "$@"
