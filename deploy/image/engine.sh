# engine.sh - for the tests of images: a container engine and debian:bookworm-slim, made from Debian packages, so that no registry is
# needed. To be sourced at the top of the tree, with $me, the name of the test. Sets $engine, $cache, $run; defines skip, die, build.
cache=${IMGTEST_CACHE:-/var/tmp/posed-image-test} run=/run/posed-image-test

skip() { echo "$me: SKIPPED: $*"; exit 0; }
die() { echo "$me: FAILED: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || skip "needs root to make a base image and run containers"
command -v apt-get >/dev/null || skip "needs apt-get (Debian) to make a base image"
install -d -m 700 "$cache" "$run"
exec 9>"$run/lock"
flock -n 9 || die "another test of images is running"
export TMPDIR=$cache/tmp
mkdir -p "$TMPDIR"

packages="mmdebstrap ca-certificates runc iptables podman netavark aardvark-dns catatonit curl"
missing=
for p in $packages; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
    echo "$me: installing with apt-get:$missing"
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 install \
        --no-install-recommends $missing; } >"$cache/apt.log" 2>&1 </dev/null ||
        skip "apt-get cannot install:$missing (see $cache/apt.log)"
fi

# A minimal Debian 12 that looks like debian:bookworm-slim. usr-is-merged keeps perl out; docker-clean keeps apt's caches out.
base=$cache/base.tar
if [ ! -s "$base" ]; then
    skeleton=$TMPDIR/skeleton
    mkdir -p "$skeleton"
    echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; }; Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";' >"$skeleton/docker-clean"
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date|Retries) ' >"$skeleton/99local" || true
    options=()
    while read -r line; do options+=(--aptopt="$line"); done <"$skeleton/99local"
    source=/etc/apt/sources.list.d/debian.sources
    [ -s "$source" ] || source=/etc/apt/sources.list
    mmdebstrap --quiet --format=tar --variant=minbase --mode=root --include=usr-is-merged \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --aptopt='Acquire::Languages "none"' "${options[@]}" \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --customize-hook="copy-in $skeleton/docker-clean $skeleton/99local /etc/apt/apt.conf.d" \
        --customize-hook='rm -f "$1/etc/resolv.conf" "$1"/var/cache/apt/*.bin; : > "$1/etc/machine-id"' \
        bookworm "$base.new" - <"$source" >"$cache/base.log" 2>&1 || skip "mmdebstrap cannot make a base image (see $cache/base.log)"
    mv "$base.new" "$base"
fi

# runc, because crun refuses hybrid cgroup v1 + v2; explicit ulimits, because root here may lack CAP_SYS_RESOURCE.
conf=$cache/conf
mkdir -p "$conf"
printf '[storage]\ndriver = "overlay"\nrunroot = "%s/podman"\ngraphroot = "%s/podman"\n' "$run" "$cache" >"$conf/storage.conf"
nofile=$(ulimit -Hn)
[ "$nofile" = unlimited ] && nofile=1048576
printf '[containers]\ndefault_ulimits = ["nofile=%s:%s","nproc=16384:16384"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "%s/net"\n' \
    "$nofile" "$nofile" "$conf" >"$conf/containers.conf"
printf 'unqualified-search-registries = []\nshort-name-mode = "disabled"\n' >"$conf/registries.conf"
export CONTAINERS_STORAGE_CONF=$conf/storage.conf CONTAINERS_CONF=$conf/containers.conf CONTAINERS_REGISTRIES_CONF=$conf/registries.conf
engine="podman --log-level=fatal"
$engine info >"$cache/info.log" 2>&1 || skip "podman does not run here (see $cache/info.log)"

id=$(sha256sum "$base" | cut -c1-12)
if [ "$(cat "$cache/base.id" 2>/dev/null)" != "$id" ] || ! $engine image exists debian:bookworm-slim; then
    $engine import --change 'CMD ["bash"]' "$base" debian:bookworm-slim >/dev/null 2>"$cache/import.log" ||
        skip "podman cannot import an image (see $cache/import.log)"
    echo "$id" >"$cache/base.id"
fi

version=$(deploy/version.sh) # the image has no repository to ask
build() { # build TAG [OPTION...]
    # --format docker: the OCI format drops HEALTHCHECK. Host network: apt inside the build goes the host's way.
    echo "$me: building"
    $engine build --format docker --pull-never --network=host --build-arg VERSION="$version" -t "$@" . >"$cache/build.log" 2>&1 ||
        { tail -n 40 "$cache/build.log" >&2; die "the image does not build"; }
}
