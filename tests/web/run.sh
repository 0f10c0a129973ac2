#!/bin/sh
# run.sh [PATTERN] - tests the page at /, exported GLB files and the JavaScript client, in a browser and in Node; PATTERN picks tests by name.
# What they need beyond Debian comes from npm. Where its registry is out of reach they count as skipped, or as failed with
# WEB_TESTS=required. With --install that is all, and the exit status says whether the packages are there.
# POSED_BUILD, POSED_SAMPLES and CHROMIUM: see posed.mjs.
set -eu
cd "$(dirname "$0")"

# npm's error codes when there is no registry in reach, or none that lets this machine in. What else goes wrong is a fault of ours.
unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|NOTCACHED|401|403|407|429|5[0-9][0-9]|RR_SOCKET_TIMEOUT)|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_VERIFY_LEAF_SIGNATURE'

# The copy of the lock file says what is installed.
installed=node_modules/.posed-lock.json
if ! cmp -s package-lock.json "$installed"; then
    echo "web: installing with npm: playwright-core drives the browser, gltf-validator and three open GLB files, ws and typescript test the client"
    log=$(mktemp)
    npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --fetch-retries=1 >"$log" 2>&1 && status=0 || status=$?
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
        echo "web: skipped: $why: these tests need a network"
        echo "# skipped $(cat ./*.test.mjs | grep -c '^ *test(')"
        exit 0
    fi
    cp package-lock.json "$installed"
fi
[ "${1:-}" != --install ] || exit 0
exec node --test --test-reporter=spec ${1:+--test-name-pattern="$1"} *.test.mjs
