#!/bin/sh
# The container's first process: serves /models where something is mounted there, else the sample models, and says so;
# tells a folder or files that its user may not read from an empty folder. Options go to posed as they are.
set -eu
say() { echo "posed: $*" >&2; }

for argument in "$@"; do
    case $argument in
    --root | --root=* | --help | --version | --health | --check-config) exec posed "$@" ;;
    esac
done
if [ -z "${POSED_ROOT:-}" ]; then
    models=/models
    if ! grep -q " $models " /proc/self/mountinfo; then
        POSED_ROOT=/usr/share/posed/samples
        say "nothing is mounted on $models: serving the sample models (docker run -v \"\$PWD:$models:ro\" ...)"
    elif [ ! -r "$models" ] || [ ! -x "$models" ]; then
        say "cannot read the folder mounted on $models as user $(id -u); make it readable (chmod o+rX) or run with --user"
        exit 2
    else
        POSED_ROOT=$models
        unreadable=$(find "$models" ! -readable ! -type l 2>/dev/null | head -n 1)
        [ -z "$unreadable" ] ||
            say "user $(id -u) cannot read some of the mounted files, such as $unreadable; make them readable" \
                "(chmod -R o+rX) or run with --user"
    fi
    export POSED_ROOT
fi
exec posed "$@"
