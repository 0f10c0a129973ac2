"""The project's promises: layers hold, samples are models, references agree, the documents' commands work."""
import http.server
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
SHARED = TOP.parent / "shared"


FORBIDDEN = [
    ("anim/pose/pose.c", '#include "daemon/config/config.h"'),
    ("base/buf.c", '#include "anim/model/model.h"'),
    ("wire/encode/json.c", "#include <uv.h>"),
    ("daemon/main.c", "#include <assimp/scene.h>"),
    ("daemon/main.c", '#include "import/source/source_files.h"'),
    ("daemon/main.c", '#include "worker/resource_limits.h"'),
    ("daemon/config/config.h", '#include "daemon/conn/conn.h"'),
    ("render/gl/gl.c", '#include "render/draw/draw.h"'),
    ("render/gl/gl.c", '#include "../draw/draw.h"'),
    ("anim/pose/pose.c", "#include <time.h>"),
]


def test_layers_fail_on_each_breach(tmp_path):
    """Forbidden includes, a function that is too long, and a folder that is too large: all in one tree, and each has its own line."""
    server = tmp_path / "server"
    shutil.copytree(TOP / "server", server)
    for path, line in [*FORBIDDEN, ("anim/pose/skin.c", "{" + "\n" * 50 + "}")]:
        with open(server / path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    for i in range(40):
        (server / "base" / f"more_{i}.c").touch()
    broken = subprocess.run([TOP / "tests/layers.sh", server], capture_output=True, text=True)
    assert broken.returncode == 1
    lines = broken.stdout.splitlines()
    for path, line in FORBIDDEN:
        header = re.search('["<](.*)[">]', line)[1]
        assert len([one for one in lines if f"/{path} includes" in one and header in one]) == 1, (path, line, lines)
    assert len([one for one in lines if "anim/pose/skin.c" in one and "a function of" in one]) == 1
    assert len([one for one in lines if "server/base has" in one and "at most 40" in one]) == 1
    assert len(lines) == len(FORBIDDEN) + 2


@pytest.mark.parametrize("files, told", [
    ({"server/anim/model/mat": "pose", "server/anim/pose/pose": ""}, "anim/model may not call anim/pose"),
    ({"server/base/buf": "pose", "server/anim/pose/pose": ""}, "base may not call anim"),
    ({f"server/anim/pose/{name}": after for name, after in (
        ("pose", "sample"), ("sample", "skin"), ("skin", "blend"), ("blend", "bounds"), ("bounds", "dualquat"), ("dualquat", "pose"))},
     "6 files of anim/pose call each other in a circle"),
    ({"clients/cli/ask/ask": "sheet_request", "clients/cli/sheet/sheet_request": "ask"}, "circle of folders of posectl: clients/cli/ask clients/cli/sheet"),
])
def test_calls_that_no_include_shows_are_found(tmp_path, files, told):
    """Object files of made-up sources. Each defines a function with its file's name and calls the given one."""
    for path, callee in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        name, call = pathlib.Path(path).name, f"{callee}();" if callee else ""
        subprocess.run(["cc", "-xc", "-c", "-o", tmp_path / f"{path}.o", "-"], check=True, text=True,
                       input=f"void {callee or name}(void); void {name}(void); void {name}(void) {{ {call} }}")
    run = subprocess.run([TOP / "tests/calls.py", tmp_path], capture_output=True, text=True)
    assert run.returncode == 1 and told in run.stdout


def test_every_mistake_of_the_mutations_can_still_be_made():
    sys.path.insert(0, str(TOP / "tests"))
    import mutations
    stale = [title for title, path, code, *_ in mutations.MUTATIONS if (TOP / path).read_text(encoding="utf-8").count(code) != 1]
    assert not stale and len(mutations.MUTATIONS) > 100


@pytest.mark.skipif(not (SHARED / "oracle/judge.py").exists(), reason="the references are not beside the project")
def test_every_reference_frame_is_within_tolerance(tmp_path):
    """judge.py wants PROJECT/build/posed: a folder that links to the build under test."""
    (tmp_path / "build").symlink_to(os.environ.get("POSED_BUILD", TOP / "build"))
    result = subprocess.run([sys.executable, SHARED / "oracle/judge.py", tmp_path, SHARED / "models", SHARED / "refs", "--exact"],
                            capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    counts = re.search(r"(\d+) of (\d+) clips within tolerance", result.stdout)
    assert counts and int(counts[1]) == int(counts[2]) >= 45


def readme_commands():
    """(command, printed) pairs: in the console blocks of README and tour, the output follows a line "$ curl ..."."""
    pairs = {}
    for name in "README.md", "protocol/tour.md":
        for block in re.findall(r"```console\n(.*?)```", (TOP / name).read_text(encoding="utf-8"), re.S):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, printed = part.partition("\n")
                assert command.startswith("curl ") and pairs.setdefault(command, printed) == printed
    return list(pairs.items())


@pytest.mark.parametrize("command, printed", readme_commands())
def test_readme_curl_prints_what_it_says(server, tmp_path, command, printed):
    command = command.replace("http://127.0.0.1:7878", server.url)
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == printed.replace("127.0.0.1:7878", server.url.removeprefix("http://")).strip()


def test_readme_shows_commands():
    assert len(readme_commands()) >= 8


def test_samples_are_skinned_textured_and_have_clips(server):
    models = server.json("/v1/models")["models"]
    assert sorted(m["model"] for m in models) == ["dragon.glb", "octopus.glb", "robot.glb"]
    for entry in models:
        model = server.json("/v1/model", model=entry["model"])
        assert len(model["clips"]) >= 3 and len(model["skins"][0]["joints"]) > 10
        assert {t["state"] for t in model["textures"]} == {"found"}
        assert model["warnings"] == []


def test_install_puts_programs_and_documents_in_place(tmp_path):
    build = os.environ.get("POSED_BUILD", str(TOP / "build"))
    out = os.path.relpath(build, TOP)
    config = [] if out == "build" else [f"out={out}"]
    subprocess.run(["make", "-s", "-o", "all", "install", "NODEPS=1", f"DESTDIR={tmp_path}", "PREFIX=/usr", *config], cwd=TOP,
                   check=True, capture_output=True)
    for page in "deploy/proxies/README.md", "clients/cli/README.md", "protocol/http.md":
        assert (tmp_path / "usr/share/doc/posed" / page).read_bytes() == (TOP / page).read_bytes()
    posed = tmp_path / "usr/bin/posed"
    for program in ("posed-import", "posed-assimp.so", "posed-render"):
        assert (tmp_path / "usr/libexec/posed" / program).exists()
    version = subprocess.run([posed, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("posed ")


@pytest.mark.parametrize("name", ["my models", "it's $HOME; `x`"])
def test_make_run_serves_a_folder_of_any_name(tmp_path, name):
    build = os.environ.get("POSED_BUILD", str(TOP / "build"))
    (tmp_path / name).mkdir()
    root = str(tmp_path / name).replace("$", "$$")  # as make wants it
    running = subprocess.Popen(["make", "-s", "-o", "all", "run", "NODEPS=1", f"out={build}", f"ROOT={root}", "HTTP=127.0.0.1:0",
                                "ARGS=--tcp none --render-workers 0 --cache-dir none"], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert running.stdout.readline().startswith("posed ready http=127.0.0.1:"), running.stderr.read()
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        said = running.communicate(timeout=120)[1]
    assert f" serves {tmp_path}/{name} on http=" in said, said


PACKAGED_TOOL = """#!/bin/sh
# A compiler and a pkg-config that know what has been installed, and note how they were called.
case $1 in
-dumpmachine) echo x86_64-linux-gnu; exit 0 ;;
--cflags-only-I) echo -I/freetype; exit 0 ;;
--libs) exit 0 ;;
--modversion) echo 1.2; exit 0 ;;
esac
[ -e "$INSTALLED/build" ] || { echo "no packages yet: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2 ;;
    -mavx* | /freetype) flags="$flags $1" ;;
    tests/unit/*/*.c) [ -e "$INSTALLED/test" ] || { echo "no cmocka yet: $1" >&2; exit 1; } ;;
    esac
    shift
done
printf '#!/bin/sh\\n' >"$out" && chmod 755 "$out" && echo "$out$flags" >>"$INSTALLED/made"
"""
PACKAGES = """#!/bin/sh
# Installs as apt-get does: one at a time, and not at once.
mkdir "$INSTALLED/lock" || exit 1
sleep 0.3
for group in "$@"; do : >"$INSTALLED/$group"; done
if [ ! -e "$INSTALLED/bin" ]; then
    mkdir "$INSTALLED/bin"
    for tool in cc g++ pkg-config; do cp tool "$INSTALLED/bin/$tool"; done
fi
rmdir "$INSTALLED/lock"
"""


@pytest.fixture
def bare(tmp_path):
    """bare(*arguments): runs make in a tree without compilers and packages until deploy/deps.sh has run. Returns what was made."""
    for name in ("Makefile", "server", "clients", "protocol", "shaders"):
        (tmp_path / name).symlink_to(TOP / name)
    for name in ("deploy", "tests", "tests/web"):
        (tmp_path / name).mkdir()
    for path in (TOP / "tests").iterdir():
        if path.name != "web":  # these tests are not about npm's packages
            (tmp_path / "tests" / path.name).symlink_to(path)
    (tmp_path / "tests/web/run.sh").write_text('#!/bin/sh\necho "$*" >>"$INSTALLED/npm"\n')
    (tmp_path / "tests/web/run.sh").chmod(0o755)
    for name in ("man", "samples", "run.sh"):
        (tmp_path / "deploy" / name).symlink_to(TOP / "deploy" / name)
    for name, text in ("deploy/deps.sh", PACKAGES), ("tool", PACKAGED_TOOL):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    installed = tmp_path / "installed"
    installed.mkdir()
    (tmp_path / "path").mkdir()
    for program in "sh basename cat chmod cp echo find mkdir mv printf rm rmdir sed sleep tr".split():
        (tmp_path / "path" / program).symlink_to(shutil.which(program))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "NODEPS"))}
    environment |= {"INSTALLED": str(installed), "PATH": f"{installed}/bin:{tmp_path}/path"}

    def make(*arguments):
        done = subprocess.run([shutil.which("make"), "-s", "out=out", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stdout[-2000:] + done.stderr[-2000:]
        made = installed / "made"
        return dict(line.partition(" ")[::2] for line in made.read_text().splitlines()) if made.exists() else {}

    return make


@pytest.mark.parametrize("arguments", [["out/posed-render"], ["-j8", "out/posed-render"], ["config=sanitize", "out/posed-render"]])
def test_what_packages_tell_is_asked_after_they_are_installed(bare, arguments):
    made = bare(*arguments)
    assert "-mavx2" in made["out/obj/server/anim/kernel/kernel_avx2.o"].split()
    assert "-mavx512f" in made["out/obj/server/anim/kernel/kernel_avx512.o"].split()
    assert made["out/obj/server/render/image/caption.o"] == "/freetype"
    assert made["out/obj/server/render/cell_pixels.o"] == ""


def test_unit_tests_wait_for_their_packages(bare):
    assert "out/test/unit" in bare("-j8", "deps", "deps-test", "out/test/unit")


def test_what_npm_has_is_installed_for_tests_of_the_web(bare, tmp_path):
    """make check installs nothing of npm. The tests of tests/api that need it install it themselves."""
    bare("check", "PYTHON=:")
    assert (tmp_path / "installed/test").exists() and not (tmp_path / "installed/npm").exists()
    bare("deps-test")
    assert (tmp_path / "installed/npm").read_text() == "--install\n"


def test_for_tests_all_packages_are_asked_for_at_once(bare, tmp_path):
    (tmp_path / "deploy/deps.sh").write_text(PACKAGES + 'echo "$*" >>"$INSTALLED/asked"\n')
    bare("check", "PYTHON=:")
    assert (tmp_path / "installed/asked").read_text().splitlines()[0].split() == ["build", "test"]


def test_who_may_not_install_packages_is_told_the_one_line(tmp_path):
    """Without sudo, and with one that refuses."""
    for program in "sh tr sed printf mktemp rm tail cat find env".split():
        (tmp_path / program).symlink_to(shutil.which(program))
    for program, text in ("id", "echo 1000"), ("dpkg-query", "echo 'installed gcc gcc:amd64'"), ("node", "exit 0"), ("npm", ":"), ("chromium-headless-shell", ":"):
        (tmp_path / program).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / program).chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if k != "NODEPS"} | {"PATH": str(tmp_path)}
    for sudo in False, True:
        if sudo:
            (tmp_path / "sudo").write_text("#!/bin/sh\necho 'you are not in the sudoers file' >&2\nexit 1\n")
            (tmp_path / "sudo").chmod(0o755)
        done = subprocess.run([TOP / "deploy/deps.sh", "build", "test"], env=kept, capture_output=True, text=True, check=False)
        line, = re.findall(r"^  (apt-get install --no-install-recommends .*)$", done.stderr, re.M)
        assert done.returncode == 1 and {"g++", "libuv1-dev", "python3-pytest"} < set(line.split()) and "gcc" not in line.split(), done.stderr
        assert "As root run:\n  apt-get install" in done.stderr and ("sudoers" in done.stderr) == sudo


def test_help_and_clean_install_nothing(bare, tmp_path):
    assert bare("help") == bare("clean") == {}
    assert list((tmp_path / "installed").iterdir()) == []


class Registry(http.server.BaseHTTPRequestHandler):
    """Answers every request for a package with `status`."""

    def do_GET(self):
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def web(tmp_path):
    """web(status, *arguments, **environment): runs tests/web/run.sh while npm's registry answers with a status. Returns (exit status,
    output)."""
    source = TOP / "tests/web"
    for path in [*(source / name for name in ("run.sh", "node.sh", "package.json", "package-lock.json")), *source.glob("*.test.mjs")]:
        shutil.copy(path, tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # npm reads its configuration from variables of either case.
    kept = {k: v for k, v in os.environ.items() if not re.match("(?i)npm_config_|https?_proxy|all_proxy|web_tests", k)}

    def run(status, *arguments, **environment):
        server.status = status
        told = {"npm_config_registry": f"http://127.0.0.1:{server.server_port}/", "npm_config_cache": str(tmp_path / "cache"),
                "npm_config_fetch_retry_mintimeout": "1", "npm_config_userconfig": str(tmp_path / "npmrc")}
        done = subprocess.run([tmp_path / "run.sh", *arguments], env=kept | told | environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    yield run
    server.shutdown()
    server.server_close()


def test_web_tests_are_skipped_where_npm_lets_nobody_in(web):
    status, said = web(503)
    assert status == 0 and "web: skipped: npm could not install tests/web/package-lock.json (E503)" in said, said
    assert int(re.search(r"^# skipped (\d+)$", said, re.M)[1]) > 20


@pytest.mark.parametrize("status, arguments, environment", [
    (404, [], {}), (503, ["--install"], {}), (503, [], {"WEB_TESTS": "required"}),
])
def test_web_tests_fail_when_npm_has_no_excuse(web, status, arguments, environment):
    code, said = web(status, *arguments, **environment)
    assert code == 1 and f"web: npm could not install tests/web/package-lock.json (E{status})" in said, said
    assert "skipped" not in said


def test_fresh_test_says_why_it_is_skipped():
    """As root without the capability to mount, or as another user."""
    without = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"] if os.geteuid() == 0 else []
    done = subprocess.run([*without, TOP / "tests/fresh.sh", "run"], capture_output=True, text=True)
    if done.stderr.startswith("setpriv:"):
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch("fresh-test: skipped: (chroot or mounts are refused here: .*Operation not permitted|needs root, .*)\n", done.stdout)
