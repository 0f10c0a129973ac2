#!/bin/sh
# install-documents.sh FOLDER - copies the documents of this tree, and what they show and link to, into FOLDER. Called by `make install`.
# Links into parts of the tree that are not installed become text that names the place in the source tree.
set -eu
folder=$1
cd "$(dirname "$0")/.."

# what only people who change posed read
only_source='^(tests|server|[.]github|Dockerfile|deploy/samples|clients/python/tests)(/|$)'

installed() {
    ls -d README.md LICENSE CHANGELOG.md protocol/*.md protocol/*.def protocol/*.tsv protocol/*.json protocol/*.png protocol/*/* \
        server/docs/*.md tests/bench/README.md tests/bench/speed.svg tests/golden/expected/readme_*.png \
        clients/README.md clients/*/README.md clients/cli/check.md clients/c/*.[ch] clients/eval/*_eval*.h clients/eval/example_* \
        clients/js/*.js clients/js/*.ts clients/js/package.json clients/js/examples/* clients/python/examples/* \
        deploy/README.md deploy/scale.md deploy/samples/samples.png deploy/compose.yaml deploy/compose/* deploy/ci/* deploy/kubernetes/* \
        deploy/monitoring/*.* deploy/monitoring/*/* deploy/proxies/* deploy/sources/* deploy/systemd/*
}

# Prints the document $1. Words of a link may go over the end of a line, so the text is looked at as a whole.
without_source_links() {
    installed | awk -v page="$1" -v only_source="$only_source" '
        FNR == NR { is_installed[$0] = 1; next }
        { text = text $0 "\n" }
        function resolve(target,    path, parts, count, i, kept) {
            sub(/#.*/, "", target)
            path = page
            if (!sub(/\/[^\/]*$/, "", path)) path = ""
            count = split(path "/" target, parts, "/")
            path = ""
            kept = 0
            for (i = 1; i <= count; i++) {
                if (parts[i] == "" || parts[i] == ".") continue
                if (parts[i] == "..") { kept--; continue }
                names[++kept] = parts[i]
            }
            for (i = 1; i <= kept; i++) path = path (i > 1 ? "/" : "") names[i]
            return path
        }
        function begin_of(words,    depth, i, c) {
            for (i = length(words); i > 0; i--) {
                c = substr(words, i, 1)
                if (c == "]") depth++
                if (c == "[" && depth-- == 0) return i
            }
            return 0
        }
        END {
            while (match(text, /\]\([^) \n]+\)/)) {
                before = substr(text, 1, RSTART - 1)
                target = substr(text, RSTART + 2, RLENGTH - 3)
                link = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                path = target ~ /^(#|[a-z]+:)/ ? "" : resolve(target)
                at = begin_of(before)
                words = substr(before, at + 1)
                if (path ~ only_source && !(path in is_installed) && at > 0)
                    printf words == path ? "%s%s`%s` of the source tree" : "%s%s [`%s` of the source tree]", substr(before, 1, at - 1),
                           words == path ? "" : words, path
                else
                    printf "%s%s", before, link
            }
            printf "%s", text
        }' - "$1"
}

installed | while IFS= read -r file; do
    case $file in
    *.md)
        install -D -m 644 /dev/null "$folder/$file"
        without_source_links "$file" >"$folder/$file"
        ;;
    *) install -D -m 644 "$file" "$folder/$file" ;;
    esac
done
