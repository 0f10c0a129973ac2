#!/bin/sh
# assets.sh FILE.. - prints the C table of assets: every file as a string, and how it is called below /page/.
set -eu
table=
number=0
for file; do
    case $file in
    clients/page/*) name=${file#clients/page/} ;;
    clients/js/*) name=js/${file#clients/js/} ;;
    *) name=$file ;;
    esac
    case $file in
    *.html) type='text/html; charset=utf-8' ;;
    *.css) type='text/css; charset=utf-8' ;;
    *.js) type='text/javascript; charset=utf-8' ;;
    *.svg) type='image/svg+xml' ;;
    *) type='text/plain; charset=utf-8' ;; # a shader
    esac
    number=$((number + 1))
    echo "static const char asset_$number[] ="
    # '?' is escaped because of trigraphs
    sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/"/; s/$/\\n"/' "$file"
    echo ';'
    table="$table    {\"$name\", \"$type\", asset_$number, sizeof asset_$number - 1},
"
done
printf 'static const struct asset ASSETS[] = {\n%s};\n' "$table"
