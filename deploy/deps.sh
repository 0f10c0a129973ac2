#!/bin/sh
# [CROSS=aarch64-linux-gnu] deps.sh GROUP... - installs the Debian packages of a group that are missing, and says which.
# Groups: build (compile and run), clang (CC=clang, fuzz), test, documents (make documents-test), arm (make test-arm), lint, soak, bench, deb, deploy, fresh. Nothing to do is silent. NODEPS=1 skips it all.
# With CROSS the libraries of group build are those of that processor, whose packages dpkg has to know (dpkg --add-architecture arm64).
set -eu
[ -z "${NODEPS:-}" ] || exit 0

# libuv: the event loop. node-llhttp: the HTTP parser's C sources. cjson: glTF files. assimp: formats that no reader of ours takes.
# expat: COLLADA, X3D and 3MF; it leaves off XML's hostile forms (entities, other files) and reads nothing by itself.
# libzip: uploaded zips, COLLADA's and 3MF's archives. libpng, libjpeg-turbo, stb, libwebp: textures and pictures; tiff: TIFF textures,
# by the library that most programs write them with, loaded only where a model has one; posectl's heat maps by libpng too, JPEGs by libjpeg-turbo. giflib: GIF animations. openexr: passes as compositors read them.
# freetype, dejavu: the words under the cells of a sheet. nettle: SHA-256. xxhash: checksums of the
# disk cache, at the speed of memory. isal: a deflate that does not cost more than the picture;
# libdeflate: one for small files, at a quarter of zlib's time, and compressed arrays of FBX files. osmesa: GL without a
# display. meshoptimizer, draco: compressed glTF, read and written; g++: draco is C++.
# zstd: compressed responses, which browsers and curl take, and textures in KTX 2 files.
# seccomp: the workers' filter on system calls, for every processor alike. wslay: the framing of WebSockets.
build="gcc g++ make pkg-config libc6-dev libuv1-dev node-llhttp libcjson-dev libassimp-dev libexpat1-dev libmeshoptimizer-dev
 libdraco-dev zlib1g-dev libpng-dev libturbojpeg0-dev libstb-dev libwebp-dev libtiff-dev libzip-dev nettle-dev libxxhash-dev libisal-dev libzstd-dev libdeflate-dev libosmesa6-dev uthash-dev libgl-dev
 libegl-dev libseccomp-dev libwslay-dev libgif-dev libopenexr-dev libfreetype-dev fonts-dejavu-core curl"
# pip, setuptools, venv, wheel: the Python client as people install it. cmocka: unit tests. pytest: black-box tests, xdist: several at a time. assimp-utils: opens the files that posed exports. numpy, pil: look at pictures.
test="libcmocka-dev python3 python3-pytest python3-pytest-xdist python3-numpy python3-pil procps assimp-utils python3-pip python3-setuptools python3-venv python3-wheel"
# A compiler for AArch64 and its emulation, and what the tests of the pure layers link with. Not libwslay-dev, which only one processor
# can have: the library itself, beside the headers of this machine's.
arm="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user libc6-dev:arm64 libcmocka-dev:arm64 libcjson-dev:arm64 nettle-dev:arm64 libpng-dev:arm64
 zlib1g-dev:arm64 libzstd-dev:arm64 libdraco-dev:arm64 libmeshoptimizer-dev:arm64 libwslay1:arm64"
# mypy: the types of the Python client, which may hold numpy arrays.
lint="clang-format cppcheck mypy python3-numpy git"
clang="clang libclang-rt-14-dev"
# assimp-testmodels: files of 40 formats, to damage. blender reads and writes converted files, and its glTF add-on wants numpy.
soak="assimp-testmodels blender python3-numpy"
# What posed is measured against: nginx and redis serve, f3d draws (it needs an X server, and OpenGL behind it).
# valgrind counts what an answer costs.
bench="python3 python3-pytest procps assimp-utils nginx-light redis-server f3d xvfb xauth libgl1-mesa-dri valgrind"

# What documents show beside posed and what tests need.
documents="ffmpeg prometheus python3-venv"

# make deb: debhelper does what Debian's policy asks of packages; dpkg-dev finds the libraries that they depend on.
deb="debhelper dpkg-dev"

# What the files of deploy/ are for, in make deploy-test. prometheus: scrapes /metrics, with promtool, which checks that and the alerts.
# rclone, fuse3: deploy/sources: it mounts and copies most kinds of sources, and its errors are the file system's. haproxy, nginx, varnish:
# deploy/proxies; nginx is a source over HTTP, too. docker-compose, and podman, in which it runs: the Compose files; image-test.sh says why
# each of the others is needed. lintian: whether the packages keep to Debian's policy. mmdebstrap: a minimal Debian to install them in.
# python3-yaml: compares manifests with each other. kubernetes-client (below): kubectl kustomize. The S3 server is npm's.
deploy="$deb python3 python3-pytest procps curl gcc prometheus rclone fuse3 haproxy nginx-light varnish docker-compose podman runc netavark
 aardvark-dns catatonit iptables lintian mmdebstrap debian-archive-keyring python3-yaml"

# A minimal Debian, for what a newcomer does.
fresh="mmdebstrap debian-archive-keyring git"

# node and a browser are things that machines often have from elsewhere than Debian.
missing_node() {
    command -v node >/dev/null 2>&1 && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || echo nodejs
    command -v npm >/dev/null 2>&1 || echo npm
}
missing_kubectl() {
    command -v kubectl >/dev/null 2>&1 || echo kubernetes-client
}
missing_browser() {
    # Chromium without the windows of a browser, for half of the processor time
    command -v "${CHROMIUM:-chromium-headless-shell}" >/dev/null 2>&1 || echo chromium-headless-shell
}

# A compiler for the processor of $CROSS, and its libraries. Of this machine: what makes the generated files.
cross() {
    case $CROSS in
    aarch64-linux-gnu) processor=arm64 ;;
    x86_64-linux-gnu) processor=amd64 ;;
    *) echo "deps: CROSS=$CROSS is not known: aarch64-linux-gnu or x86_64-linux-gnu" >&2; exit 2 ;;
    esac
    for tool in binutils gcc g++; do echo "$tool-$CROSS" | tr _ -; done
    echo gcc make pkg-config libc6-dev libpng-dev node-llhttp
    echo "libselinux1:$processor" # of the image's shell tools (deploy/image/root.sh), which no -dev package brings
    for package in $build; do
        case $package in
        *-dev) echo "$package:$processor" ;;
        fonts-*) echo "$package" ;;
        esac
    done
}

wanted=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $(if [ -n "${CROSS:-}" ]; then cross; else echo "$build"; fi | tr '\n' ' ')" ;;
    test) wanted="$wanted $test $(missing_node) $(missing_browser)" ;;
    arm) wanted="$wanted $arm" ;;
    lint) wanted="$wanted $lint" ;;
    clang) wanted="$wanted $clang" ;;
    deb) wanted="$wanted $deb" ;;
    documents) wanted="$wanted $documents" ;;
    deploy) wanted="$wanted $deploy $(missing_node) $(missing_kubectl)" ;;
    fresh) wanted="$wanted $fresh" ;;
    soak) wanted="$wanted $soak $(missing_node)" ;;
    bench) wanted="$wanted $bench $(missing_node)" ;;
    *) echo "deps: unknown group '$group'" >&2; exit 2 ;;
    esac
done

command -v dpkg-query >/dev/null 2>&1 || {
    echo "deps: this is not Debian; posed needs what these packages hold:" $wanted >&2
    exit 0
}
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package} ${Package}:${Architecture}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')"
missing=
for package in $wanted; do
    case "$installed$missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0

# For those who may not install packages themselves.
tell_root() { printf 'deps: packages are missing. As root run:\n  apt-get install --no-install-recommends%s\n' "$missing" >&2; }

sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        tell_root
        exit 1
    }
    sudo=sudo
fi
case "$missing " in *":arm64 "*)
    # dpkg has to know the processor; without CROSS nothing else has told it
    [ -n "${CROSS:-}" ] || dpkg --print-foreign-architectures | grep -qx arm64 || {
        echo "deps: dpkg --add-architecture arm64"
        $sudo dpkg --add-architecture arm64
    } ;;
esac
echo "deps: installing with apt-get:$missing"
log=$(mktemp)
policy=
# Packages that hold services are wanted for their programs: none is started, and none is left to start at the next boot.
services=
for package in $missing; do
    case $package in
    nginx-light) services="$services nginx" ;;
    haproxy | redis-server | prometheus | varnish) services="$services $package" ;;
    esac
done
leave() {
    [ -z "$policy" ] || $sudo rm -f "$policy"
    rm -f "$log"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP
if [ -n "$services" ] && [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' | $sudo sh -c "cat > $policy && chmod 755 $policy"
fi
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
        install --no-install-recommends $missing >>"$log" 2>&1 </dev/null
}
[ -n "$(find /var/lib/apt/lists -name '*Packages*' -print -quit 2>/dev/null)" ] ||
    $sudo apt-get -q update >>"$log" 2>&1 || true
install || { $sudo apt-get -q update >>"$log" 2>&1; install; } || {
    tail -n 20 "$log" >&2
    [ -n "$sudo" ] || echo "deps: apt-get could not install:$missing" >&2
    [ -z "$sudo" ] || tell_root
    exit 1
}
[ -z "$services" ] || [ ! -d /run/systemd/system ] || $sudo systemctl -q disable $services >/dev/null 2>&1 || true
