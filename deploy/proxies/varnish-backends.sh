#!/bin/sh
# varnish-backends.sh HOST:PORT... - the instances of varnish.vcl, to be included there. Their names and order, not their addresses, say which
# models they have: keep the order, and append what comes later.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 HOST:PORT..." >&2; exit 2; }
n=0
for address; do
    n=$((n + 1))
    case $address in *:*[!0-9]* | *: | :* | *[!0-9A-Za-z.:-]*) echo "$0: '$address' is not HOST:PORT" >&2; exit 2 ;; esac
    printf 'backend posed_%d {\n    .host = "%s";\n    .port = "%s";\n    .probe = posed_ready;\n' "$n" "${address%:*}" "${address##*:}"
    printf '    .connect_timeout = 1s;\n    .first_byte_timeout = 120s;\n    .between_bytes_timeout = 60s;\n}\n'
done
printf '\nsub vcl_init {\n    new posed = directors.shard();\n'
i=0
while [ "$i" -lt "$n" ]; do
    i=$((i + 1))
    printf '    posed.add_backend(posed_%d);\n' "$i"
done
printf '    posed.reconfigure();\n}\n'
