#!/bin/sh
# Which folder may include which, and which folder owns which library (DESIGN: server/README.md). Prints each breach.
# layers.sh [SERVER_DIR]: another tree is for the test of this script itself.
set -eu
server=${1:-server}
bad=0
libraries='seccomp uv xxhash cjson assimp expat meshoptimizer draco GL EGL png turbojpeg stb webp zip nettle isa-l libdeflate zlib llhttp wslay uthash gif freetype'

say() { echo "layers: $*"; bad=1; }

# may FOLDER "folders it may include" "libraries it owns"
may() {
    dir=$server/$1
    [ -d "$dir" ] || { say "no folder $dir"; return; }
    for file in "$dir"/*.[ch] "$dir"/*.cpp; do
        [ -e "$file" ] || continue
        for folder in $(sed -n 's/^ *# *include "\.\.\/\([a-z]*\)\/.*/\1/p' "$file"); do
            case " $2 " in *" $folder "*) ;; *) say "$file includes $folder/" ;; esac
        done
        for header in $(sed -n 's/^ *# *include <\([^>]*\)>.*/\1/p' "$file"); do
            library=${header%%[/.]*}
            case $library in stb_image) library=stb ;; jpeglib) library=turbojpeg ;; decode | encode | mux) library=webp ;; gif_lib) library=gif ;; ft2build) library=freetype ;; esac
            case " $libraries " in *" $library "*) ;; *) continue ;; esac
            case " $3 " in *" $library "*) ;; *) say "$file includes <$header>, which another layer owns" ;; esac
        done
    done
}

# base and anim are pure and stay linkable on their own; app only spawns import and render, and shares with them
# nothing but the plain structs in worker/.
may base   ""                  ""
may anim   "base"              ""
may wire   "base anim"         "cjson llhttp nettle wslay zlib"
may worker "base"              "seccomp"
may import "base anim worker"  "assimp cjson expat meshoptimizer draco png turbojpeg stb webp zip nettle zlib"
may render "base anim worker"  "GL EGL png isa-l libdeflate webp gif freetype"
may app    "base anim wire worker" "uv uthash nettle xxhash seccomp"

# The pure layers take clock, files, threads and logs as arguments or not at all.
for dir in base anim wire; do
    for file in "$server/$dir"/*.[ch]; do
        [ -e "$file" ] || continue
        for header in $(sed -n 's/^ *# *include <\([^>]*\)>.*/\1/p' "$file"); do
            case $header in
            pthread.h | threads.h | time.h | sys/* | unistd.h | fcntl.h | signal.h)
                say "$file includes <$header>: $dir is pure" ;;
            esac
        done
    done
done
# app may use of worker/ only the contracts.
for file in "$server"/app/*.[ch]; do
    [ -e "$file" ] || continue
    for header in $(sed -n 's/^ *# *include "\.\.\/worker\/\([^"]*\)".*/\1/p' "$file"); do
        case $header in archive.h | import_files.h | import_result.h | render_job.h | sandbox_contract.h) ;; *) say "$file includes worker/$header" ;; esac
    done
done
# Clients know the contract, not the server: the C client nothing but POSIX, posectl the C client, cJSON and tables.
clients=${server%server}clients
for file in "$clients"/c/*.[ch] "$clients"/cli/*.[ch]; do
    [ -e "$file" ] || continue
    for header in $(sed -n 's/^ *# *include "\(\.\.\/[^"]*\)".*/\1/p' "$file"); do
        case $file:$header in
        */cli/*:../c/posed.h | */cli/*:../../protocol/*.def | */cli/*:../../server/wire/request_params.def) ;;
        *) say "$file includes $header" ;;
        esac
    done
    for header in $(sed -n 's/^ *# *include <\([^>]*\)>.*/\1/p' "$file"); do
        library=${header%%[/.]*}
        case " $libraries " in *" $library "*) ;; *) continue ;; esac
        case $file:$library in */cli/*:cjson) ;; *) say "$file includes <$header>" ;; esac
    done
done
exit $bad
