#!/bin/bash
# image-arm64.sh - builds the container image for arm64 by cross compilation, without emulation, and looks whether it is whole: every
# program and library is for that processor, and none lacks another. Where qemu's user emulation is installed, `posed --version` runs
# by it; a model cannot be opened there, because qemu 7.2 has no openat2().
# Ends with PASS (0), FAILED (1), or SKIPPED and why (0) where no container engine can run.
set -uo pipefail
cd "$(dirname "$0")/.."
me=image-arm64 tag=localhost/posed-test:arm64
. deploy/image/engine.sh
# podman 4.3 takes no variable for the platform of a stage: what BuildKit puts there is written out.
sed "s|--platform=\${BUILD_ON}|--platform=linux/$(dpkg --print-architecture)|" Dockerfile >"$TMPDIR/Dockerfile.arm64"
grep -q '^FROM --platform=linux/' "$TMPDIR/Dockerfile.arm64" || die "the Dockerfile has no stage for the machine that builds"
build "$tag" --platform linux/arm64 -f "$TMPDIR/Dockerfile.arm64"

failures=0
check() { # check WHAT ACTUAL EXPECTED
    if [ "$2" = "$3" ]; then echo "$me: ok   $1: $2"; else echo "$me: FAIL $1: $2, expected $3"; failures=1; fi
}
root=$TMPDIR/arm64 server=
cleanup() { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$root"; }
trap cleanup EXIT
rm -rf "$root" && mkdir -p "$root"
container=$($engine create --platform linux/arm64 "$tag" 2>"$cache/run.log") || die "the image cannot be opened (see $cache/run.log)"
$engine export "$container" | tar -C "$root" -xf - || die "the image cannot be unpacked"
$engine rm "$container" >/dev/null

check "architecture of the image" "$($engine image inspect -f '{{.Architecture}}' "$tag")" arm64
size_mb=$($engine image inspect -f '{{.Size}}' "$tag" | awk '{printf "%.0f", $1 / 1e6}')
check "image size of $size_mb MB is at most 260" "$([ "$size_mb" -le 260 ] && echo yes)" yes
binaries=$(find "$root/usr" -type f '(' -perm /111 -o -name '*.so*' ')' -exec sh -c 'head -c 4 "$1" | grep -q ELF' - {} ';' -print)
check "programs and libraries are there" "$([ "$(echo "$binaries" | wc -l)" -gt 50 ] && echo yes)" yes
# e_machine of the ELF header, little-endian at byte 18: 183 is AArch64
foreign=$(for file in $binaries; do [ "$(od -An -tu2 -j18 -N2 "$file" | tr -d ' ')" = 183 ] || echo "${file#"$root"}"; done)
check "files for another processor" "${foreign:-none}" none
lacking=$(for file in $binaries; do
    readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r name; do
        [ -e "$root/usr/lib/aarch64-linux-gnu/$name" ] || echo "${file#"$root"} needs $name"
    done
done)
check "libraries that are missing" "${lacking:-none}" none
check "the loader" "$([ -e "$root/usr/lib/ld-linux-aarch64.so.1" ] && echo yes)" yes

qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
if [ -z "$qemu" ]; then
    echo "$me: nothing was run: qemu-user-static is not installed"
else
    emulate() { program=$1; shift; "$qemu" -L "$root" "$root/usr/bin/$program" "$@"; }
    check "posed --version" "$(emulate posed --version | cut -d' ' -f1-2)" "posed $version"
fi
[ "$failures" = 0 ] && echo "$me: PASS" || { echo "$me: FAILED"; exit 1; }
