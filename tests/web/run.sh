#!/bin/sh
# run.sh [PATTERN] - tests the page at /, exported GLB files and the JavaScript client, in a browser and in Node; PATTERN picks tests by name. Fails when
# an npm package cannot be installed; with --install that is all. POSED_BUILD, POSED_SAMPLES and CHROMIUM: see posed.mjs.
set -eu
cd "$(dirname "$0")"

# The copy of the lock file says what is installed.
installed=node_modules/.posed-lock.json
if ! cmp -s package-lock.json "$installed"; then
    echo "web: installing with npm: playwright-core drives the browser, gltf-validator and three open GLB files, ws and typescript test the client"
    npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --fetch-retries=1 || {
        echo "web: npm could not install tests/web/package-lock.json; is there a network?" >&2
        exit 1
    }
    cp package-lock.json "$installed"
fi
[ "${1:-}" != --install ] || exit 0
exec node --test --test-reporter=spec ${1:+--test-name-pattern="$1"} *.test.mjs
