#!/bin/sh
# install.sh - what the tests of deployments need from npm, as package-lock.json says. Where npm cannot install it, the tests with it are skipped.
set -eu
cd "$(dirname "$0")"
installed=node_modules/.posed-lock.json
! cmp -s package-lock.json "$installed" || exit 0
echo "deploy-test: installing with npm: s3rver, an S3 server"
if npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --fetch-retries=1 >&2; then
    cp package-lock.json "$installed"
else
    echo "deploy-test: npm could not install tests/deploy/package-lock.json: the tests with an S3 server are skipped"
fi
