#!/bin/sh
# Which layer and folder may include which, and which layer owns which library: tests/layers.txt. Prints each breach, and each folder and
# function that is too large.
# layers.sh [SERVER_DIR]: another tree is for the test of this script itself.
set -eu
server=${1:-server}
clients=${server%server}clients
table=$(dirname "$0")/layers.txt
libraries='seccomp uv xxhash cjson assimp expat meshoptimizer draco GL EGL png turbojpeg stb tiff webp zip nettle isa-l libdeflate zlib zstd llhttp wslay uthash gif freetype OpenEXR'

# includes QUOTE FOLDER: a line "FILE HEADER" for each include of "ours" (QUOTE ") or of <others> (QUOTE <) below it.
includes() {
    names=$(find "$2" -name '*.[ch]' -o -name '*.cpp' | sort)
    [ -n "$names" ] || return 0
    # shellcheck disable=SC2086 # names without spaces
    grep -H "^ *# *include $1" $names | sed "s/^\([^:]*\): *# *include $1\([^\">]*\).*/\1 \2/"
}

# library_of HEADER: sets `library`; empty where it is none of `libraries`.
library_of() {
    library=${1%%[/.]*}
    case $library in stb_image) library=stb ;; tiffio) library=tiff ;; jpeglib) library=turbojpeg ;; decode | encode | mux) library=webp ;; gif_lib) library=gif ;; ft2build) library=freetype ;; esac
    case " $libraries " in *" $library "*) ;; *) library= ;; esac
}

# row NAME: what follows "NAME:" in the table
row() {
    sed -n "s|^$1: *||p" "$table"
}

# layer LAYER: its files include only the layers and libraries of its row, and by the whole path from server/ on.
layer() {
    may=$(row "layer $1") owned=${may#*|}
    [ "$owned" != "$may" ] || owned=
    [ -d "$server/$1" ] || { echo "no folder $server/$1"; return; }
    includes '"' "$server/$1" | while read -r file header; do
        case $header in
        ../*) echo "$file includes $header: paths begin at server/" ;;
        protocol/*.def | wire/operations/operations.def | "$1"/*) ;;
        */*) case " ${may%%|*} " in *" ${header%%/*} "*) ;; *) echo "$file includes $header" ;; esac ;;
        esac
    done
    includes '<' "$server/$1" | while read -r file header; do
        library_of "$header"
        case " $owned " in *" $library "*) ;; *) [ -z "$library" ] || echo "$file includes <$header>, which another layer owns" ;; esac
    done
    # Without folders (base, worker) there is nothing more to check.
    for path in "$server/$1"/*/; do
        [ ! -d "$path" ] || folder "$1" "$(basename "$path")"
    done
}

# folder LAYER FOLDER: its files include only folders of its row, and no file at the layer's top.
folder() {
    grep -q "^$1/$2:" "$table" || echo "$server/$1/$2 is not in tests/layers.txt"
    arrows=$(row "$1/$2")
    includes '"' "$server/$1/$2" | while read -r file header; do
        case $header in
        "$1/$2"/* | wire/operations/operations.def) ;; # a table: each layer expands the columns that it needs
        "$1"/*/*) to=${header#*/} to=${to%%/*}
            case " $arrows " in *" $to "*) ;; *) echo "$file includes $header: $2 may not include $to" ;; esac ;;
        "$1"/*) echo "$file includes $header: it is above" ;;
        esac
    done
}

# Folders of sources that are too large to be taken in. Expected pictures and what npm installs are no sources.
large_folders() {
    for top in server clients tests; do
        [ ! -d "${server%server}$top" ] || find "${server%server}$top" '(' -name node_modules -o -path '*/golden/expected' -o -name corpus ')' -prune -o \
            -type f '(' -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' -o -name '*.py' -o -name '*.mjs' -o -name '*.js' -o -name '*.sh' ')' -print
    done | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 40 { print $2 " has " $1 " files of sources (at most 40)" }'
}

# Functions of the server that one cannot review at a glance: their lines between the braces, which stand alone where they begin and end.
long_functions() {
    find "$server" '(' -name '*.c' -o -name '*.cpp' ')' -exec awk '
        FNR == 1 { begin = 0 }
        $0 == "{" { begin = FNR }
        $0 == "}" && begin { if (FNR - begin - 1 > 48) print FILENAME ":" begin - 1 ": a function of " FNR - begin - 1 " lines (at most 48)"; begin = 0 }' {} +
}

breaches() {
    large_folders
    long_functions
    # base and anim are pure and stay linkable on their own; the daemon only spawns import and render, and shares with
    # them nothing but the plain structs in worker/.
    for name in $(sed -n 's/^layer \([a-z]*\):.*/\1/p' "$table"); do
        layer "$name"
    done
    # The pure layers take clock, files, threads and logs as arguments or not at all.
    for name in base anim wire; do
        includes '<' "$server/$name" | while read -r file header; do
            case $header in
            pthread.h | threads.h | time.h | sys/* | unistd.h | fcntl.h | signal.h)
                echo "$file includes <$header>: $name is pure" ;;
            esac
        done
    done
    # The daemon may use of worker/ only the contracts.
    includes '"' "$server/daemon" | while read -r file header; do
        case $header in
        worker/archive.h | worker/fork_server.h | worker/import_files.h | worker/import_result.h | worker/render_job.h | worker/sandbox_contract.h) ;;
        worker/*) echo "$file includes $header" ;;
        esac
    done
    # Clients know the contract, not the server: the C client nothing but POSIX, posectl the C client, cJSON, libpng, libdeflate for archives, nettle for SHA-256, and tables;
    # standard_streams.h is what a program does before anything else, whichever it is, version.h its name, wrap.h what its help
    # is wrapped by, nearest.h and option_names.h tell what a misspelt name meant. Parts of sheets are joined by the encoders that the
    # renderer has, because the bytes are to be the same.
    [ -d "$clients" ] || return 0
    { includes '"' "$clients/c"; includes '"' "$clients/cli"; } | while read -r file header; do
        case $file:$header in
        */cli/*:clients/c/posed.h | */cli/*:clients/cli/* | */cli/*:protocol/*.def | */cli/*:wire/request/request_params.def | \
            */cli/*:daemon/support/standard_streams.h | */cli/*:daemon/config/option_names.h | */cli/*:base/version.h | */cli/*:base/wrap.h | */cli/*:base/nearest.h | */cli/sheet/*:render/image/* | */cli/sheet/*:base/picture/sheet_spec.h) ;;
        *:*/*) echo "$file includes $header" ;;
        esac
    done
    # The library in other programs' processes: base and anim, and its own header; the parts of an example share one.
    includes '"' "$clients/eval" | while read -r file header; do
        case $header in
        clients/eval/* | base/* | anim/*) ;;
        example_crowd.h) case $file in */example_crowd*) ;; *) echo "$file includes $header" ;; esac ;;
        posed.h | posed_eval.h | posed_eval_hits.h) case $file in */example_* | */posed_eval_hits.h) ;; *) echo "$file includes $header" ;; esac ;;
        *) echo "$file includes $header" ;;
        esac
    done
    includes '<' "$clients/eval" | while read -r file header; do
        library_of "$header"
        [ -z "$library" ] || echo "$file includes <$header>"
    done
    { includes '<' "$clients/c"; includes '<' "$clients/cli"; } | while read -r file header; do
        library_of "$header"
        case $file:$library in *: | */cli/*:cjson | */cli/*:png | */cli/pose/*:libdeflate | */cli/dataset/*:nettle) ;; *) echo "$file includes <$header>" ;; esac
    done
}

found=$(breaches)
[ -z "$found" ] || { echo "$found" | sed 's/^/layers: /'; exit 1; }
