#!/bin/sh
# run.sh PROGRAM ROOT [options] - starts the server in the foreground and, once it is ready, prints where to look.
set -eu
program=$1 root=$2
shift 2

# The first model that the server lists, as it is written in a query.
first_model() {
    name=$(curl -s --max-time 5 "$1/v1/models?limit=1" |
        LC_ALL=C sed -n 's/^{"model":"\(\([^"\\]\|\\.\)*\)".*/\1/p' | LC_ALL=C sed 's/\\\(["\\/]\)/\1/g')
    case $name in
    '') echo MODEL ;;
    *[!A-Za-z0-9._/-]*) printf %s "$name" | od -An -v -tx1 | tr -d '\n' | tr ' ' % ;;
    *) echo "$name" ;;
    esac
}

hints() {
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in 'posed ready http='*) ;; *) continue ;; esac
        address=${line#posed ready http=}
        address=${address%% *}
        # A server that listens everywhere is not at that address.
        case $address in
        0.0.0.0:*) address=127.0.0.1:${address##*:} ;;
        '[::]':*) address="[::1]:${address##*:}" ;;
        esac
        url=http://$address
        model=$(first_model "$url")
        [ "$model" != MODEL ] || printf '\nThere are no models in %s yet: put some there; the page shows them as they come.\n' "$root"
        cat <<TEXT

Open $url/ in a browser, or try:

  curl -s '$url/v1/model?model=$model'
  curl -s '$url/v1/palette?model=$model&t=0.5'
  curl -s '$url/v1/render?model=$model&t=0.5&width=512&height=512' -o frame.png

Ctrl-C stops it.
TEXT
    done
}

fifo=$(mktemp -u)
mkfifo -m 600 "$fifo"
# Ctrl-C is for the server: the reader of its lines ends when the server closes them.
(trap '' INT; hints <"$fifo") &
exec 4>"$fifo"
rm -f "$fifo"
exec "$program" --root "$root" "$@" >&4 4>&-
