#!/bin/sh
# deb.sh TOP OUT VERSION - makes the Debian packages of the tree TOP, whose programs are in its folder OUT, in TOP/build/deb.
# Called by `make deb`. VERSION is what version.sh says, which sorts behind the last release, and all dates are that of the last
# commit (SOURCE_DATE_EPOCH), so that the same commit gives the same bytes.
set -eu
TOP=$1 OUT=$2 version=$3
export TOP OUT version
cd "$TOP"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
export SOURCE_DATE_EPOCH
unset MAKEFLAGS MFLAGS MAKELEVEL # variables of the command line are not for debhelper

packages=$TOP/build/deb
source=$packages/source
rm -rf "$source" "$packages"/*.deb
mkdir -p "$source"
cp -r deploy/debian "$source/debian"
cat >"$source/debian/changelog" <<TEXT
posed ($version) unstable; urgency=medium

  * Version $version; changelog.gz lists its changes.

 -- $(sed -n 's/^Maintainer: //p' deploy/debian/control)  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT
cd "$source"
log=$packages/build.log
debian/rules binary >"$log" 2>&1 </dev/null || {
    tail -n 40 "$log" >&2
    echo "make deb: debhelper failed, see $log" >&2
    exit 1
}
cd "$packages"
rm -rf "$source"
for package in *.deb; do
    printf '  DEB   %s (%s kB)\n' "build/deb/$package" "$(($(stat -c %s "$package") / 1000))"
done
