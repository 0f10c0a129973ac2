#!/bin/bash
# fresh.sh [run] [documents] [user] [test] - what a newcomer does on a minimal Debian 12 with make and git, in a clone of HEAD, as the first
# command:
#   run        make run, as root
#   documents  make, then the shell blocks of all documents (tests/documents/try_blocks.py)
#   user       make test, as a user with sudo, from a read-only checkout in a path with a blank, with out= elsewhere
#   test       make test, as root
# Without an argument: run, documents and user. Exit status 0 also where this machine allows no chroot or mount, or has no mmdebstrap: the
# line then begins with `skipped:`.
#
# The minimal root is made once (build/fresh/base-*.tar) and the downloaded packages are kept (build/fresh/archives). Each part has a
# copy of the root, in namespaces of mounts and processes that end with it, so that neither a mount nor a server is left behind.
# Of this machine a root has Debian's sources with their keys, and how to reach them and npm's registry: proxies, certificates, npmrc.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/fresh
packages=make,git,ca-certificates
patience_s=1800 # for packages, a build and the first answer, on a machine that has other work

say() { echo "fresh-test: $*"; }
skip() { say "skipped: $*"; exit 0; }
die() { say "$*" >&2; exit 1; }

# --- inside: process 1 of its namespaces ---------------------------------------------------------------------------

clone=/root/posed
user=root

# enter COMMAND...: in the clone, with a newcomer's environment.
enter() {
    local environment=() line
    while IFS= read -r line; do
        case $line in
        http_proxy=* | https_proxy=* | no_proxy=* | HTTP_PROXY=* | HTTPS_PROXY=* | NO_PROXY=* | npm_config_registry=*) environment+=("$line") ;;
        NODE_EXTRA_CA_CERTS=* | SSL_CERT_FILE=*) [ ! -e "$root${line#*=}" ] || environment+=("$line") ;;
        esac
    done < <(env)
    exec chroot --userspec="$user" "$root" /usr/bin/env -i HOME="${clone%%/posed*}" TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" /bin/sh -c 'cd "$0" && exec "$@"' "$clone" "$@"
}

# Free ports; everything else as typed.
try_run() {
    local make line status=0 log=$work/run.log
    enter make run HTTP=127.0.0.1:0 'ARGS=--tcp 127.0.0.1:0' >"$log" 2>&1 &
    make=$!
    until grep -qs '^Ctrl-C stops it' "$log"; do
        [ "$SECONDS" -lt "$patience_s" ] || { tail -n 20 "$log"; die "make run has not answered after $patience_s s, see $log"; }
        kill -0 "$make" 2>/dev/null || { tail -n 40 "$log"; die "make run ended instead of answering, see $log"; }
        sleep 0.2
    done
    say "make run answers at $(sed -n 's/^posed ready http=\([^ ]*\).*/\1/p' "$log") after $SECONDS s"
    sed -n 's/^  \(curl .*\)$/\1/p' "$log" >"$work/lines"
    [ "$(wc -l <"$work/lines")" = 3 ] || die "make run has not printed three lines to try, see $log"
    while IFS= read -r line; do
        (enter sh -c "$line") >"$work/answer" </dev/null || die "fails: $line"
        case $line in
        *'-o frame.png') head -c 8 "$root/root/posed/frame.png" | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a' || die "no picture: $line" ;;
        *'/v1/model?'*) grep -q '"clips":\[{' "$work/answer" || die "no clips: $line" ;;
        *) grep -q '"palettes":\[\[' "$work/answer" || die "no palette: $line" ;;
        esac
        say "ok: $line"
    done <"$work/lines"
    kill -TERM "$make"
    wait "$make" || status=$?
    [ "$status" = 143 ] || die "make run ended with $status on SIGTERM, see $log"
    until grep -q ' info stopped$' "$log" && ! grep -qs '^posed' "$root"/proc/[0-9]*/comm; do
        [ "$SECONDS" -lt "$patience_s" ] || die "something of make run is left after SIGTERM, see $log"
        sleep 0.1
    done
}

# try_make LOG ARGUMENT...
try_make() {
    local status=0 log=$work/$1
    shift
    (enter make "$@") 2>&1 | tee "$log" || status=$?
    [ "$status" = 0 ] || die "make $* ended with $status, see $log"
    tail -n 1 "$log" | grep -q '^[1-9][0-9]* passed, 0 failed' || die "make $* has not said how many tests passed, see $log"
}

try_documents() {
    local log=$work/documents.log
    (enter make documents-test) 2>&1 | tee "$log" || die "make documents-test has failed, see $log"
    tail -n 1 "$log" | grep -qE '^documents: ([1-9][0-9]* blocks of [0-9]+ documents ran|skipped: )' || die "make documents-test has not said how many blocks ran, see $log"
}

try_test() { try_make test.log test; }

try_user() {
    (enter sh -c 'apt-get -q update && apt-get -q -y install --no-install-recommends sudo && useradd --create-home anna &&
        echo "anna ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/anna') >"$work/user.log" 2>&1 || die "a user with sudo cannot be made, see $work/user.log"
    user=anna clone="/home/anna/posed from git/posed"
    mkdir -p "$root$clone"
    mount --bind "$root/root/posed" "$root$clone"
    mount -o remount,bind,ro "$root$clone"
    try_make user.log test out=/home/anna/out
}

if [ "${1:-}" = --inside ]; then
    root=$3
    mount --bind "$root" "$root" # namespaces that commands make in it change how mounts of / spread
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount --bind "$work/archives" "$root/var/cache/apt/archives"
    "try_$2"
    exit
fi

# --- outside -------------------------------------------------------------------------------------------------------

parts=("$@")
[ $# -gt 0 ] || parts=(run documents user)
for part in "${parts[@]}"; do
    case $part in run | documents | user | test) ;; *) sed -n '2,10s/^# //p' "$0"; exit 2 ;; esac
done

[ "$(id -u)" = 0 ] || skip "needs root, for chroot and mounts"
mkdir -p "$work/archives/partial"
namespaces=(unshare --mount --pid --fork --kill-child)
refused=$("${namespaces[@]}" sh -c 'mount -t proc proc "$1" && chroot / true' - "$work" 2>&1) || skip "chroot or mounts are refused here: $refused"
command -v apt-config >/dev/null || skip "needs Debian's apt"
deploy/deps.sh fresh && command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed and cannot be"
exec 9>"$work/lock"
flock -n 9 || die "another fresh-test is running in this tree"

child=
leave() {
    # With its first process every process and mount of the namespaces ends.
    [ -z "$child" ] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null || true
    rm -rf --one-file-system "$work"/root.* "$work"/base.part
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
rm -rf --one-file-system "$work"/root.* # of a run that was killed

# The minimal root: made again when the sources change, and after a week.
apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries|Languages|ForceIPv)' >"$work/99local" || true
# Debian 12's sources as this machine has them, else mmdebstrap's own.
: >"$work/sources"
mirror=()
for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    if grep -qs '^[^#]*bookworm' "$file"; then
        cat "$file" >"$work/sources"
        mirror=(-)
        break
    fi
done
base=$work/base-$(cat "$0" "$work/99local" "$work/sources" | sha256sum | cut -c1-12).tar
if [ -z "$(find "$work" -path "$base" -mtime -7)" ]; then
    rm -f "$work"/base-*.tar
    say "making a minimal Debian 12"
    options=()
    while IFS= read -r line; do options+=(--aptopt="$line"); done <"$work/99local"
    # Its own temporary folder, because /tmp may be small or without devices.
    TMPDIR=$work mmdebstrap --quiet --mode=root --variant=minbase --format=tar --include="$packages" "${options[@]}" \
        bookworm "$work/base.part" "${mirror[@]}" <"$work/sources" >"$work/base.log" 2>&1 ||
        { tail -n 3 "$work/base.log"; skip "mmdebstrap cannot make a minimal Debian 12 (see $work/base.log)"; }
    mv "$work/base.part" "$base"
    say "made in $SECONDS s"
fi
[ -z "$(git status --porcelain)" ] || say "changes that are not committed are not tried"

unpack() { # unpack ROOT
    tar -C "$1" --numeric-owner --exclude='./dev/*' -xf "$base"
    mkdir -p "$1"/{proc,sys,dev}
    local file npmrc=$1/root/.npmrc
    for file in /etc/apt/{trusted.gpg.d,keyrings,mirrors,auth.conf,auth.conf.d} /usr/share/keyrings /usr/local/share/ca-certificates \
        /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /etc/hosts; do
        [ ! -e "$file" ] || { mkdir -p "$1$(dirname "$file")" && cp -rL --remove-destination "$file" "$1$(dirname "$file")/"; }
    done
    # npm's own, then the user's, which wins.
    for file in "$(npm config get globalconfig 2>/dev/null || true)" "${HOME:-/root}/.npmrc"; do
        [ ! -f "$file" ] || { cat "$file" && echo; } >>"$npmrc"
    done
    git clone -q --no-local . "$1/root/posed"
}

before=
for part in "${parts[@]}"; do
    SECONDS=0
    # The documents are tried where `make run` has built, unless it has not.
    if [ "$before $part" != 'run documents' ]; then
        [ -z "$before" ] || rm -rf --one-file-system "$root"
        root=$(mktemp -d "$work/root.XXXXXX")
        chmod 755 "$root"
        unpack "$root"
    fi
    say "$part: make in a minimal Debian 12"
    # Of a background process the shell has SIGINT ignored, which make and its tests would inherit.
    env --default-signal=INT,QUIT setpriv --pdeathsig KILL "${namespaces[@]}" "$PWD/tests/fresh.sh" --inside "$part" "$root" 9>&- &
    child=$!
    wait "$child" || die "$part FAILED after $SECONDS s"
    child=
    before=$part
    say "$part passed after $SECONDS s"
done
