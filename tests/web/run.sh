#!/bin/sh
# run.sh [PATTERN] - tests the page at /, exported GLB files and the JavaScript client, in a browser and in Node; PATTERN picks tests by name.
# What they need beyond Debian comes from npm. Where its registry is out of reach they count as skipped, or as failed with
# WEB_TESTS=required. With --install it does only this, and the exit status says whether the packages are there.
# WEB_JOBS         how many test files run at once (default: 2)
# POSED_TIMES_XML  a file for the time of every test, as JUnit has it
# POSED_BUILD, POSED_SAMPLES and CHROMIUM: see posed.mjs.
set -eu
cd "$(dirname "$0")"

# npm installs packages beside the tests. For a read-only checkout this is a copy of the tests, which stands in a tree of links.
if ! [ -w . ]; then
    top=$(cd ../.. && pwd) copy=${POSED_BUILD:?is where a copy of a read-only checkout goes}/test/web
    mkdir -p "$copy/tests/web"
    for folder in clients deploy protocol server shaders $(cd "$top" && find tests -mindepth 1 -maxdepth 1 -type d ! -name web); do
        ln -sfn "$top/$folder" "$copy/$folder"
    done
    cp -u ./*.mjs ./*.ts ./*.json ./*.sh "$copy/tests/web/"
    cd "$copy/tests/web"
fi

# npm's error codes when there is no registry in reach, or none that lets this machine in. What else goes wrong is a fault of ours.
unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|NOTCACHED|401|403|407|429|5[0-9][0-9]|RR_SOCKET_TIMEOUT)|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_VERIFY_LEAF_SIGNATURE'

# skip WHY - where these tests cannot run and need not.
skip() {
    echo "web: skipped: $1"
    echo "# skipped $(cat ./*.test.mjs | grep -c '^ *test(')"
    exit 0
}

# The copy of the lock file describes the installed packages.
installed=node_modules/.posed-lock.json
if ! cmp -s package-lock.json "$installed"; then
    echo "web: installing with npm: playwright-core drives the browser, gltf-validator and three open GLB files, gltf-transform, meshoptimizer and gltfpack rewrite them," \
        "ktx2-encoder makes textures, ws and typescript test the client, Node 22 runs the tests of pages and Node 18 those of the client"
    log=$(mktemp)
    # --no-bin-links: both Nodes have a program of the same name
    npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --no-bin-links --fetch-retries=1 >"$log" 2>&1 && status=0 || status=$?
    cat "$log" >&2
    code=$(sed -nE 's/^npm (error|ERR!) code //p' "$log" | head -n 1)
    [ "$status" != 127 ] || code=ENOTFOUND # npm itself
    rm -f "$log"
    if [ "$status" != 0 ]; then
        why="npm could not install tests/web/package-lock.json (${code:-status $status})"
        if [ "${1:-}" = --install ] || [ "${WEB_TESTS:-}" = required ] || ! printf %s "$code" | grep -Eqx "$unreachable"; then
            echo "web: $why" >&2
            exit 1
        fi
        skip "$why: these tests need a network"
    fi
    cp package-lock.json "$installed"
fi
[ "${1:-}" != --install ] || exit 0

if ! node=$(./node.sh 22) || ! oldest=$(./node.sh 18); then
    why="npm has no Node 22 or 18 for this processor, and the one on PATH is none or older"
    [ "${WEB_TESTS:-}" != required ] || { echo "web: $why" >&2; exit 1; }
    skip "$why"
fi

times=
[ -z "${POSED_TIMES_XML:-}" ] || times=$(mktemp -d)

# run NODE NAME FILE... - the tests of files, whose times go to a file of that name.
status=0
run() {
    program=$1 name=$2
    shift 2
    echo "web: $("$program" --version) runs $*"
    "$program" --test --test-concurrency="${WEB_JOBS:-2}" --test-reporter=spec --test-reporter-destination=stdout \
        ${times:+--test-reporter=./times.mjs --test-reporter-destination="$times/$name"} \
        ${pattern:+--test-name-pattern="$pattern" $force} "$@" || status=1
}
pattern=${1:-}
# No hook closes the browser of a file whose tests the pattern all skips; Node 18 does not know the option, and its tests have no browser.
force=
run "$oldest" client client*.test.mjs
force=--test-force-exit
run "$node" pages $(ls *.test.mjs | grep -v ^client)

if [ -n "$times" ]; then
    { echo '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="web">'; cat "$times"/*; echo '</testsuite></testsuites>'; } >"$POSED_TIMES_XML"
    rm -r "$times"
fi
exit "$status"
