#!/bin/sh
# Which folder may include which, and which folder owns which library (DESIGN: server/README.md). Prints each breach.
# layers.sh [SERVER_DIR]: another tree is for the test of this script itself.
set -eu
server=${1:-server}
clients=${server%server}clients
libraries='seccomp uv xxhash cjson assimp expat meshoptimizer draco GL EGL png turbojpeg stb webp zip nettle isa-l libdeflate zlib zstd llhttp wslay uthash gif freetype'

# includes QUOTE FOLDER: a line "FILE HEADER" for each include of "ours" (QUOTE ") or of <others> (QUOTE <) there.
includes() {
    names=$(find "$2" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.cpp' | sort)
    [ -n "$names" ] || return 0
    # shellcheck disable=SC2086 # names without spaces
    grep -H "^ *# *include $1" $names | sed "s/^\([^:]*\): *# *include $1\([^\">]*\).*/\1 \2/"
}

# library_of HEADER: sets `library`; empty where it is none of `libraries`.
library_of() {
    library=${1%%[/.]*}
    case $library in stb_image) library=stb ;; jpeglib) library=turbojpeg ;; decode | encode | mux) library=webp ;; gif_lib) library=gif ;; ft2build) library=freetype ;; esac
    case " $libraries " in *" $library "*) ;; *) library= ;; esac
}

# may FOLDER "folders it may include" "libraries it owns"
may() {
    [ -d "$server/$1" ] || { echo "no folder $server/$1"; return; }
    includes '"' "$server/$1" | while read -r file header; do
        case $header in ../../*) continue ;; ../*/*) folder=${header#../} folder=${folder%%/*} ;; *) continue ;; esac
        case " $2 " in *" $folder "*) ;; *) echo "$file includes $folder/" ;; esac
    done
    includes '<' "$server/$1" | while read -r file header; do
        library_of "$header"
        case " $3 " in *" $library "*) ;; *) [ -z "$library" ] || echo "$file includes <$header>, which another layer owns" ;; esac
    done
}

breaches() {
    # base and anim are pure and stay linkable on their own; app only spawns import and render, and shares with them
    # nothing but the plain structs in worker/.
    may base   ""                  ""
    may anim   "base"              ""
    may wire   "base anim"         "cjson llhttp nettle wslay zlib zstd"
    may worker "base"              "seccomp"
    may import "base anim worker"  "assimp cjson expat meshoptimizer draco png turbojpeg stb webp zip nettle zlib"
    may render "base anim worker"  "GL EGL png isa-l libdeflate webp gif freetype"
    may app    "base anim wire worker" "uv uthash nettle xxhash seccomp"

    # The pure layers take clock, files, threads and logs as arguments or not at all.
    for folder in base anim wire; do
        includes '<' "$server/$folder" | while read -r file header; do
            case $header in
            pthread.h | threads.h | time.h | sys/* | unistd.h | fcntl.h | signal.h)
                echo "$file includes <$header>: $folder is pure" ;;
            esac
        done
    done
    # app may use of worker/ only the contracts.
    includes '"' "$server/app" | while read -r file header; do
        case $header in
        ../worker/archive.h | ../worker/import_files.h | ../worker/import_result.h | ../worker/render_job.h | ../worker/sandbox_contract.h) ;;
        ../worker/*) echo "$file includes ${header#../}" ;;
        esac
    done
    # Clients know the contract, not the server: the C client nothing but POSIX, posectl the C client, cJSON and tables;
    # standard_files.h is what a program does before anything else, whichever it is.
    [ -d "$clients" ] || return 0
    { includes '"' "$clients/c"; includes '"' "$clients/cli"; } | while read -r file header; do
        case $file:$header in
        */cli/*:../c/posed.h | */cli/*:../../protocol/*.def | */cli/*:../../server/wire/request/request_params.def | */cli/*:../../server/daemon/support/standard_files.h) ;;
        *:../*) echo "$file includes $header" ;;
        esac
    done
    { includes '<' "$clients/c"; includes '<' "$clients/cli"; } | while read -r file header; do
        library_of "$header"
        case $file:$library in *: | */cli/*:cjson) ;; *) echo "$file includes <$header>" ;; esac
    done
}

found=$(breaches)
[ -z "$found" ] || { echo "$found" | sed 's/^/layers: /'; exit 1; }
