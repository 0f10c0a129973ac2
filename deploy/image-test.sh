#!/bin/bash
# image-test.sh - builds the container image and runs it as a careful operator would: read-only root, no capabilities,
# no new privileges, memory and process limits, not root. Needs no registry: the base image is made from Debian packages.
# Ends with PASS (0), FAILED (1), or SKIPPED and why (0) where no container engine can run.
# Cache: $IMGTEST_CACHE, default /var/tmp/posed-image-test.
set -uo pipefail
cd "$(dirname "$0")/.."
me=image-test tag=localhost/posed-test:latest port=7878
. deploy/image/engine.sh
build "$tag"

container=
failures=0
cleanup() { [ -z "$container" ] || $engine rm -f "$container" >/dev/null 2>&1; rm -rf "$TMPDIR/models"; }
trap cleanup EXIT
check() { # check WHAT ACTUAL EXPECTED
    if [ "$2" = "$3" ]; then echo "image-test: ok   $1: $2"; else echo "image-test: FAIL $1: $2, expected $3"; failures=1; fi
}
free_port() { shuf -i 20000-29999 -n 50 | while read -r p; do (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null || { echo "$p"; break; }; done; }
start() { # start [run options...]: the hardened container, until it is healthy
    host_port=$(free_port)
    container=$($engine run -d -p "127.0.0.1:$host_port:$port" --read-only --read-only-tmpfs=false --cap-drop=ALL \
        --security-opt no-new-privileges --memory 1g --pids-limit 256 "$@" "$tag" 2>"$cache/run.log" 9>&-) ||
        { cat "$cache/run.log" >&2; die "the container does not start"; }
    url=http://127.0.0.1:$host_port
    for _ in $(seq 300); do
        curl -fsS -m 2 -o /dev/null "$url/readyz" 2>/dev/null && return
        sleep 0.1
    done
    $engine logs "$container" >&2
    die "the server in the container does not answer $url/readyz"
}
stop() {
    $engine stop -t 15 "$container" >/dev/null
    check "exit code after SIGTERM" "$($engine inspect -f '{{.State.ExitCode}}' "$container")" 0
    $engine logs "$container" >"$cache/container.log" 2>&1
    $engine rm -f "$container" >/dev/null
    container=
}

# 1. nothing mounted: the samples, and a word about it
start
pid=$($engine inspect -f '{{.State.Pid}}' "$container")
status() { awk -v key="$1:" '$1 == key {print $2}' "/proc/$pid/status"; }
check "user" "$(status Uid)" 10001
check "capabilities" "$(status CapEff)" 0000000000000000
check "no new privileges" "$(status NoNewPrivs)" 1
check "root file system" "$(awk '$5 == "/" {split($6, a, ","); print a[1]}' "/proc/$pid/mountinfo" | tail -n 1)" ro
$engine healthcheck run "$container" >/dev/null && health=healthy || health=unhealthy
check "health check" "$health" healthy
model=$(curl -fsS "$url/v1/models?limit=1" | sed -n 's/.*"model":"\([^"]*\)".*/\1/p')
check "version" "$($engine exec "$container" posed --version | cut -d' ' -f1-2)" "posed $version"
check "a sample is listed" "$([ -n "$model" ] && echo yes)" yes
check "palette" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=$model&t=0.5")" 200
check "picture" "$(curl -s "$url/v1/render?model=$model&t=0.5" | head -c 8 | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
$engine exec "$container" posed --self-test-sandbox >"$cache/sandbox.log" 2>&1
check "workers are confined (see $cache/sandbox.log)" "$?" 0
check "posectl's picture" "$($engine exec "$container" posectl render /usr/share/posed/samples/robot.glb -o - | head -c 8 | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
check "says so at its start" "$($engine logs "$container" 2>&1 | grep -c 'info sandbox: workers are confined')" 1
check "says it serves samples" "$($engine logs "$container" 2>&1 | grep -c 'serving the sample models')" 1
stop

# 2. a mounted folder, one file of which its user may not read
mkdir -p "$TMPDIR/models"
cp build/samples/robot.glb "$TMPDIR/models/" 2>/dev/null || $engine run --rm --entrypoint cat "$tag" /usr/share/posed/samples/robot.glb >"$TMPDIR/models/robot.glb"
cp "$TMPDIR/models/robot.glb" "$TMPDIR/models/secret.glb"
chmod 755 "$TMPDIR/models" && chmod 644 "$TMPDIR/models/robot.glb" && chmod 600 "$TMPDIR/models/secret.glb"
chmod 711 "$cache" "$TMPDIR"
start -v "$TMPDIR/models:/models:ro"
check "mounted model" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=robot.glb")" 200
check "unreadable model" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=secret.glb")" 403
check "says it cannot read it" "$($engine logs "$container" 2>&1 | grep -c 'cannot read some of the files')" 1
stop

# 3. a volume for imported models: the next container needs no import
volume=posed-image-test-$$
$engine volume create "$volume" >/dev/null
trap 'cleanup; $engine volume rm -f "$volume" >/dev/null 2>&1' EXIT
counter() { curl -fsS "$url/v1/stats" | grep -o "\"$1\":{.*" | sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p" | head -n 1; }
start -v "$TMPDIR/models:/models:ro" -v "$volume:/var/cache/posed"
check "first palette" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=robot.glb")" 200
for _ in $(seq 100); do [ "$(counter disk stored)" = 1 ] && break; sleep 0.1; done
check "models stored in the volume" "$(counter disk stored)" 1
stop
start -v "$TMPDIR/models:/models:ro" -v "$volume:/var/cache/posed"
check "palette of the next container" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=robot.glb")" 200
check "models taken from the volume" "$(counter disk hits)" 1
check "imports" "$(counter imports started)" 0
stop

# 4. uploads: off unless POSED_UPLOADS names a folder of a volume, and there is a token
version() { curl -fsS ${1:+-H "Authorization: Bearer $1"} "$url/v1/version" | sed -n "s/.*\"uploads\":\([^,]*\),\"uploads_lack\":\([^}]*\)}.*/\1 \2/p"; }
put() { curl -s -o /dev/null -w '%{http_code}' "$@" -T "$TMPDIR/models/robot.glb" "$url/v1/models/new.glb"; }
start
check "no uploads by default" "$(version)" 'null "folder"'
stop
start -e POSED_UPLOADS=/models/uploads
check "none into the container itself" "$(version)" 'null "folder"'
check "says that it is no volume" "$($engine logs "$container" 2>&1 | grep -c 'lies on no volume, so there are no uploads')" 1
stop
start -e POSED_UPLOADS=/models/uploads -v "$volume-uploads:/models/uploads"
check "none without a token" "$(version) $(put)" 'null "token" 503'
stop
echo "image-test-0123456789" >"$TMPDIR/tokens" && chmod 644 "$TMPDIR/tokens"
start -e POSED_UPLOADS=/models/uploads -v "$volume-uploads:/models/uploads" -v "$TMPDIR/tokens:/run/tokens:ro" -e POSED_TOKEN_FILE=/run/tokens
check "uploads into a volume" "$(version image-test-0123456789)" '"uploads/" null'
check "without the token" "$(put)" 401
check "with it" "$(put -H 'Authorization: Bearer image-test-0123456789')" 201
stop
$engine volume rm -f "$volume-uploads" >/dev/null 2>&1

# 5. a release with its cache, as deploy/README.md writes it: it serves its models, and imports none
build_in() { # build_in FOLDER TAG [OPTION...]: an image made from the one that is being tested
    $engine build --format docker --pull-never --network=host --build-arg POSED="$tag" -t "${@:2}" "$1" >"$cache/build.log" 2>&1 ||
        { tail -n 40 "$cache/build.log" >&2; die "$2 does not build"; }
}
release=$TMPDIR/release
rm -rf "$release" && mkdir -p "$release/models"
cp "$TMPDIR/models/robot.glb" "$release/models/"
sed -n '/^```dockerfile$/,/^```$/p' deploy/README.md | sed '/^```/d' >"$release/Dockerfile"
$engine tag "$tag" localhost/posed:latest
build_in "$release" localhost/posed-test-release
tested=$tag tag=localhost/posed-test-release
start
check "model of a release" "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/palette?model=robot.glb")" 200
check "its models, not the samples" "$($engine logs "$container" 2>&1 | grep -c 'serving the sample models')" 0
check "imports of a release" "$(counter imports started)" 0
stop
tag=$tested

# 6. the image of runners reviews a pull request, as its workflow does
build_in deploy/ci localhost/posed-test-ci
review=$TMPDIR/review
rm -rf "$review" && mkdir -p "$review"
cat >"$TMPDIR/review.sh" <<'END'
set -e
cd /review
git init -q -b main . && git config user.email a@example.org && git config user.name a
cp /usr/share/posed/samples/robot.glb hero.glb && git add . && git commit -qm one
git switch -qc change && cp /usr/share/posed/samples/octopus.glb hero.glb && git commit -qam two
posed-pull-request main
git lfs version
END
$engine run --rm --entrypoint bash -v "$review:/review" -v "$TMPDIR/review.sh:/review.sh:ro" localhost/posed-test-ci /review.sh >"$cache/review.log" 2>&1 9>&-
check "review of a pull request (see $cache/review.log)" "$?" 0
check "its page" "$(grep -c 'hero.glb' "$review/model-review/report.md" 2>/dev/null | awk '$1 > 0 {print "yes"}')" yes
check "its pictures" "$(find "$review/model-review" -name '*.png' -size +1k 2>/dev/null | grep -c . | awk '$1 >= 2 {print "yes"}')" yes
rm -rf "$review" "$release"

# 7. nothing in it that nobody needs, and lists of its parts
size_mb=$($engine image inspect -f '{{.Size}}' "$tag" | awk '{printf "%.0f", $1 / 1e6}')
check "image size of $size_mb MB is at most 260" "$([ "$size_mb" -le 260 ] && echo yes)" yes
check "package managers in it" "$($engine run --rm --entrypoint find "$tag" / -xdev '(' -name 'apt*' -o -name 'dpkg*' -o -name 'pip*' ')' ! -type d | wc -l)" 0
check "packages that scanners are told of" "$($engine run --rm --entrypoint ls "$tag" /var/lib/dpkg/status.d | grep -c -x -e libc6 -e libllvm15 -e libassimp5)" 3
label() { $engine image inspect -f "{{index .Config.Labels \"org.opencontainers.image.$1\"}}" "$tag"; }
check "labels" "$(label title) $(label version) $(label licenses)" "posed $version MIT"
$engine run --rm --entrypoint cat "$tag" /usr/share/doc/posed/posed.spdx.json >"$cache/sbom.json"
check "software bill of materials (see $cache/sbom.json)" "$(python3 - "$cache/sbom.json" <<'END'
import json, sys
sbom = json.load(open(sys.argv[1]))
packages = {package["name"]: package["versionInfo"] for package in sbom["packages"]}
ids = {package["SPDXID"] for package in sbom["packages"]} | {"SPDXRef-DOCUMENT"}
assert len(ids) == len(packages) + 1 and all(packages.values()), packages
assert all({r["spdxElementId"], r["relatedSpdxElement"]} <= ids for r in sbom["relationships"])
print(sbom["spdxVersion"], packages["posed"], *sorted({"libc6", "libosmesa6", "libassimp5", "node-llhttp"} & packages.keys()))
END
)" "SPDX-2.3 $version libassimp5 libc6 libosmesa6 node-llhttp"

[ "$failures" = 0 ] && echo "image-test: PASS" || { echo "image-test: FAILED"; exit 1; }
