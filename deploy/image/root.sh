#!/bin/bash
# root.sh BUILD ROOT [TRIPLET [VERSION]] - makes in ROOT all files of the container image, for the processor TRIPLET (this machine's
# unless given): the programs of folder BUILD, the libraries they need, a shell with what the entry point calls, fonts, licences and
# the software bill of materials.
# Runs in the image's build stage and executes nothing of ROOT, so that the processor may be another one. No package manager gets
# in; /var/lib/dpkg/status.d tells scanners which packages the files are from.
set -euo pipefail
build=$1 root=$2 triplet=${3:-$(gcc -dumpmachine)}
case $triplet in aarch64-*) processor=arm64 ;; x86_64-*) processor=amd64 ;; *) echo "root.sh: unknown processor $triplet" >&2; exit 2 ;; esac
tool() { if command -v "$triplet-$1" >/dev/null; then echo "$triplet-$1"; else echo "$1"; fi; }
readelf=$(tool readelf) strip=$(tool strip)
libraries=usr/lib/$triplet
# What posed-render and posed-import open by name, and no header tells.
opened=(libOSMesa.so.8 libtiff.so.6)
tools=(dash coreutils findutils grep)
programs=(usr/bin/{cat,dirname,find,grep,head,id,ls,mkdir} usr/bin/dash)

mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},"$libraries",usr/libexec/posed,usr/share/{doc/posed,fonts/truetype,posed/samples},etc,dev,proc,sys,run,var/{cache,lib/dpkg/status.d}}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
install -d -m 1777 "$root/tmp" "$root/var/tmp"

install -m 755 "$build"/{posed,posectl} "$root/usr/bin/"
install -m 755 "$build"/posed-{import,render,assimp.so} "$root/usr/libexec/posed/"
"$strip" "$root"/usr/bin/posed* "$root"/usr/libexec/posed/*
install -m 755 deploy/image/entrypoint.sh "$root/usr/bin/posed-entrypoint"
install -m 644 build/samples/*.glb "$root/usr/share/posed/samples/"
install -m 644 deploy/debian/copyright "$root/usr/share/doc/posed/copyright"

# package NAME FOLDER: its licence and its entry for scanners; FOLDER is where its files lie
package() {
    install -D -m 644 "$2/usr/share/doc/$1/copyright" "$root/usr/share/doc/$1/copyright"
    cat >"$root/var/lib/dpkg/status.d/$1"
}
installed() { [ -e "$root/var/lib/dpkg/status.d/${1%%:*}" ] || dpkg-query -s "$1" | package "${1%%:*}" /; }

# first FILE...: the first of them that there is
first() { for file in "$@"; do [ ! -e "$file" ] || { echo "$file"; return; }; done; }
# The shell and its tools are of no -dev package.
unpacked=$(mktemp -d)
(cd "$unpacked" && apt-get -q -o APT::Sandbox::User=root download "${tools[@]/%/:$processor}" >/dev/null)
for name in "${tools[@]}"; do
    dpkg-deb -x "$unpacked/${name}_"*.deb "$unpacked/$name"
    dpkg-deb -f "$unpacked/${name}_"*.deb | package "$name" "$unpacked/$name"
done
for program in "${programs[@]}"; do
    install -m 755 "$(first "$unpacked"/*/"$program" "$unpacked"/*/"${program#usr/}")" "$root/$program"
done
ln -s dash "$root/usr/bin/sh"
rm -r "$unpacked"

# needed FILE...: the names of the libraries that they are linked with
needed() { "$readelf" -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
# The loader has a place of its own, /lib64/ld-linux-x86-64.so.2 or /lib/ld-linux-aarch64.so.1.
loader=$("$readelf" -l "$root/usr/bin/posed" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
queue=("${loader##*/}" "${opened[@]}" $(find "$root/usr" -type f -perm /111 -exec "$readelf" -h {} \; -print 2>/dev/null |
    grep "^$root" | while read -r file; do needed "$file" 2>/dev/null; done | sort -u))
while [ ${#queue[@]} -gt 0 ]; do
    name=${queue[0]} queue=("${queue[@]:1}")
    [ ! -e "$root/$libraries/$name" ] || continue
    file=$(first "/$libraries/$name" "/usr/$triplet/lib/$name")
    [ -n "$file" ] || { echo "root.sh: no library $name for $triplet" >&2; exit 1; }
    install -m 755 "$(readlink -f "$file")" "$root/$libraries/$name"
    queue+=($(needed "$root/$libraries/$name"))
    owner=$(dpkg -S "$(readlink -f "$file")" 2>/dev/null || dpkg -S "$(readlink -f "$file" | sed 's|^/usr||')")
    installed "${owner%: *}"
done
ln -sf "../../$libraries/${loader##*/}" "$root/usr$loader"

cp -r /usr/share/fonts/truetype/dejavu "$root/usr/share/fonts/truetype/"
installed fonts-dejavu-core
installed base-files
cp /usr/lib/os-release "$root/usr/lib/"
ln -s ../usr/lib/os-release "$root/etc/os-release"
printf 'root:x:0:0:root:/root:/usr/sbin/nologin\nposed:x:10001:10001::/nonexistent:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nposed:x:10001:\n' >"$root/etc/group"
deploy/image/sbom.sh "$root" "${4:-$(deploy/version.sh)}" >"$root/usr/share/doc/posed/posed.spdx.json"
