#!/bin/sh
# node.sh [18|22] - prints the Node that tests run with: 22, which the tests of pages need, or 18, the oldest that the JavaScript client
# promises and the one of Debian 12. Both are pinned in package-lock.json; `run.sh --install` gets them. Where npm has none for this processor
# or is out of reach it is the one on PATH; the exit status is 1 if there is none, or older than asked for.
set -eu
wanted=${1:-22}
case $(uname -m) in
aarch64 | arm64) processor=arm64 ;;
*) processor=x64 ;;
esac
tests=$(cd "$(dirname "$0")" && pwd)
[ -w "$tests" ] || tests=${POSED_BUILD:-$tests/../../build}/test/web/tests/web # where run.sh has its copy
pinned=$tests/node_modules/node$wanted-linux-$processor/bin/node
if "$pinned" --version >/dev/null 2>&1; then
    echo "$pinned"
else
    node -e "process.exit(parseInt(process.versions.node) >= $wanted ? 0 : 1)" 2>/dev/null
    command -v node
fi
