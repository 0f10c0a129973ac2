"""posectl thumbs and watch: what they draw, what they do not draw again, and what a killed run leaves."""
import html
import json
import os
import re
import shutil
import signal
import struct
import time
from urllib.parse import quote, unquote

import pytest

from conftest import PATIENCE_S, SAMPLES, Server, wait_until
from posectl import begin, children, is_running, pass_folder, png_size, posectl
from small_models import TRIANGLE, gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


@pytest.fixture
def assets(tmp_path):
    """Five models in a tree, two of them broken, among files that are not models."""
    folder = tmp_path / "assets"
    for place in "birds/small", "machines":
        (folder / place).mkdir(parents=True)
    shutil.copy(SAMPLES / "dragon.glb", folder / "birds" / "dragon.glb")
    shutil.copy(SAMPLES / "octopus.glb", folder / "birds/small" / "octo pus&.glb")
    (folder / "machines/crate.gltf").write_text(gltf(x=2))
    (folder / "machines/junk.fbx").write_bytes(b"no model at all")
    (folder / "broken.gltf").write_text(gltf(buffer="nowhere.bin"))
    (folder / "notes.txt").write_text("not a model")
    (folder / ".hidden.gltf").write_text(gltf())
    return folder


def run(assets, *options, **more):
    return pass_folder("thumbs", assets, "--size", "48", *options, **more)


def pictures(out):
    return {str(path.relative_to(out)): (path.stat().st_mtime_ns, png_size(path)) for path in out.rglob("*.png")}


@pytest.mark.short
def test_what_is_unchanged_is_not_drawn_again(assets):
    out = assets.parent / "out"
    first = run(assets, status=1)
    assert (first["models"], first["made"], first["unchanged"], first["pictures"]) == (5, 3, 0, 3)
    assert [(f["model"], f["code"]) for f in first["failed"]] == [
        ("assets/broken.gltf", "companion_missing"), ("assets/machines/junk.fbx", "not_a_model")]
    before = pictures(out)
    assert set(before) == {"birds/dragon.glb.png", "birds/small/octo pus&.glb.png", "machines/crate.gltf.png"}
    assert {size for _, size in before.values()} == {(48, 48)}

    second = run(assets, status=1)
    assert (second["made"], second["unchanged"], second["pictures"], len(second["failed"])) == (0, 3, 0, 2)
    assert pictures(out) == before

    (assets / "machines/crate.gltf").write_text(gltf(x=3, triangles=2))
    third = run(assets, status=1)
    assert (third["made"], third["unchanged"], third["pictures"]) == (1, 2, 1)
    after = pictures(out)
    assert {name for name in after if after[name] != before[name]} == {"machines/crate.gltf.png"}

    os.utime(assets / "birds/dragon.glb")  # only the content counts
    assert run(assets, status=1)["made"] == 0
    (out / "birds/dragon.glb.png").unlink()
    (out / "machines/crate.gltf.png").write_bytes(b"cut")
    assert run(assets, status=1)["made"] == 2
    assert run(assets, "--force", status=1)["made"] == 3
    assert not list((out / ".posectl").glob("tmp-*"))


def test_other_options_are_other_pictures(assets):
    run(assets, status=1)
    assert run(assets, "--yaw", "30", status=1)["made"] == 3
    assert run(assets, "--yaw", "30", status=1)["made"] == 0
    assert run(assets, "--yaw", "30", "--width", "20", status=1)["made"] == 3
    assert png_size(assets.parent / "out/birds/dragon.glb.png") == (20, 48)


def test_a_texture_or_buffer_of_a_model_counts(assets):
    model = assets / "machines/crate.gltf"
    model.write_text(gltf(buffer="crate.bin"))
    (assets / "machines/crate.bin").write_bytes(bytes(36))
    assert len(run(assets, "--include", "crate.gltf", status=1)["failed"]) == 1  # nothing to draw, because all points are at one place
    import small_models
    (assets / "machines/crate.bin").write_bytes(small_models.TRIANGLE)
    assert run(assets, "--include", "crate.gltf")["made"] == 1
    assert run(assets, "--include", "crate.gltf")["made"] == 0
    (assets / "machines/crate.bin").write_bytes(small_models.TRIANGLE[:-4] + b"\0\0\x80\x3f")
    assert run(assets, "--include", "crate.gltf")["made"] == 1


@pytest.mark.parametrize("clips, names", [
    ("all", ["dragon.glb.0-idle.png", "dragon.glb.1-walk.png", "dragon.glb.2-fly.png"]),
    ("w*,fly", ["dragon.glb.1-walk.png", "dragon.glb.2-fly.png"]),
    ("rest", ["dragon.glb.png"]),
])
def test_clips_have_a_picture_each(assets, clips, names):
    run(assets, "--clips", clips, "--include", "birds/dragon.glb")
    assert sorted(p.name for p in (assets.parent / "out/birds").iterdir()) == names
    run(assets, "--include", "birds/dragon.glb")
    assert [p.name for p in (assets.parent / "out/birds").iterdir()] == ["dragon.glb.png"]  # no leftovers


def test_a_model_without_such_a_clip_is_named_and_not_drawn(assets):
    """The model has other clips. The crate has none and is drawn at rest. Every run reports both."""
    every = ["--include", "birds/dragon.glb", "--include", "crate.gltf", "--include", "octo*"]
    out = assets.parent / "out"
    run(assets, *every)
    for unchanged in 0, 2:
        done = posectl("thumbs", "assets", "-o", "out", "--size", "48", *every, "--clips", "fly*", "--json", cwd=assets.parent)
        report = json.loads(done.out)
        assert (done.status, report["unmatched"], report["unchanged"]) == (0, ["assets/birds/small/octo pus&.glb"], unchanged), done.err
        said = [line for line in done.err.splitlines() if not line.startswith("posectl: thumbs ")]  # without progress
        assert said == ["posectl: 'assets/birds/small/octo pus&.glb' has no clip that matches 'fly*': no picture"]
        assert sorted(pictures(out)) == ["birds/dragon.glb.2-fly.png", "machines/crate.gltf.png"]
    text = posectl("thumbs", "assets", "-o", "out", "--size", "48", *every, "--clips", "fly*", cwd=assets.parent).out
    assert re.match(r"3 models: 0 drawn \(0 pictures\), 2 unchanged, 0 failed, 1 without such a clip, in ", text)
    for made in 1, 0:
        nowhere = posectl("thumbs", "assets", "-o", "out", "--size", "48", *every, "--clips", "flee", "--json", cwd=assets.parent)
        report = json.loads(nowhere.out)
        assert (nowhere.status, report["made"], len(report["unmatched"])) == (1, made, 2)
        assert "--clips 'flee' matches no clip of any model" in nowhere.err
        assert list(pictures(out)) == ["machines/crate.gltf.png"]


def test_folders_patterns_and_ignore_files(assets):
    (assets / "birds/.posedignore").write_text("# small ones\nsmall/\n*.glb\n!dragon.glb\n")
    names = lambda: sorted(pictures(assets.parent / "out"))
    run(assets, "--exclude", "broken.gltf", "--exclude", "machines/j*")
    assert names() == ["birds/dragon.glb.png", "machines/crate.gltf.png"]
    shutil.rmtree(assets.parent / "out")
    assert posectl("thumbs", "assets/**/*.gl[bt]*", "-o", "out", "--exclude", "broken.gltf", cwd=assets.parent).status == 0
    assert names() == ["birds/dragon.glb.png", "machines/crate.gltf.png"]
    shutil.rmtree(assets.parent / "out")
    assert posectl("thumbs", "birds", "machines/crate.gltf", "-o", "../out", cwd=assets).status == 0
    assert names() == ["birds/dragon.glb.png", "machines/crate.gltf.png"]


@pytest.mark.parametrize("command", ["check", "thumbs", "thumbs at a server"])
@pytest.mark.parametrize("place, says", [
    ("nomatch*", "'nomatch*' matches no model"), ("hollow/*.glb", "'hollow/*.glb' matches no model"), ("hollow/", "no model in 'hollow/'"),
    ("nobody", "'nobody'")])
def test_what_means_no_model_is_no_success(assets, command, place, says):
    (assets / "hollow").mkdir()
    command, *where = command.split(" at ")
    server = Server(assets, "--tcp", "127.0.0.1:0") if where else None
    try:
        arguments = [*(["-o", "../out"] if command == "thumbs" else []), *(["-s", server.ports["tcp"]] if where else [])]
        done = posectl(command, "machines/crate.gltf", place, *arguments, cwd=assets)
    finally:
        if server:
            server.end()
    assert (done.status, says in done.err, done.out) == (2, True, ""), done.err


def test_what_no_option_lets_through_is_no_success(assets):
    done = posectl("check", "assets", "--include", "*.dae", cwd=assets.parent)
    assert done.status == 2 and "no model in 'assets' that --include and --exclude let through" in done.err


def test_watch_waits_in_an_empty_folder(tmp_path):
    (tmp_path / "assets").mkdir()
    running = begin("watch", "assets", "-o", "out", "--size", "32", "--interval", "0.05", "--json", cwd=tmp_path)
    try:
        assert "no model in 'assets' yet" in running.stderr.readline()
        assert json.loads(running.stdout.readline())["models"] == 0
        (tmp_path / "assets/new.gltf").write_text(gltf())
        assert json.loads(running.stdout.readline())["model"] == "assets/new.gltf"
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


@pytest.fixture
def links(tmp_path):
    """A folder of symbolic links to files in a store, as git-annex and Bazel make them."""
    store = tmp_path / "work/.store"
    store.mkdir(parents=True)
    for sample in "robot.glb", "dragon.glb":
        shutil.copy(SAMPLES / sample, store)
    shutil.copy(SAMPLES / "octopus.glb", tmp_path / "outside.glb")
    tree = tmp_path / "work/tree"
    tree.mkdir()
    for name, target in ("a.glb", "../.store/robot.glb"), ("b.glb", store / "dragon.glb"), ("twin.glb", "a.glb"), ("up", "."):
        (tree / name).symlink_to(target)
    return tree


@pytest.mark.parametrize("place", ["tree", "tree/*.glb"])
def test_links_to_files_count_as_files(links, place):
    """Links to folders are not followed: this one leads to a folder above."""
    work = links.parent
    refused = posectl("check", place, cwd=work)
    assert refused.status == 1 and "'.store/robot.glb' has a part that begins with a dot; see --allow-hidden" in refused.out
    done = posectl("check", place, "--json", "--allow-hidden", cwd=work)
    assert [model["model"] for model in json.loads(done.out)["models"]] == ["tree/a.glb", "tree/b.glb", "tree/twin.glb"], done.err
    draw = lambda: json.loads(posectl("thumbs", place, "-o", "../out", "--size", "32", "--json", "--allow-hidden", cwd=work).out)
    first = draw()
    assert (first["made"], first["failed"]) == (3, []) and draw()["unchanged"] == 3
    drawn = lambda name: (work.parent / f"out/{name}.png").read_bytes()
    assert drawn("a.glb") == drawn("twin.glb") != drawn("b.glb")
    (links / "b.glb").unlink()
    (links / "b.glb").symlink_to("a.glb")
    assert draw()["made"] == 1 and drawn("b.glb") == drawn("a.glb")


def test_links_that_cannot_be_followed_have_failed(links):
    """Links out of the served folder, and dangling ones."""
    work = links.parent
    (links / "out.glb").symlink_to("../../outside.glb")
    (links / "lost.glb").symlink_to("nowhere.glb")
    run = posectl("thumbs", "tree", "-o", "../out", "--size", "32", "--json", "--allow-hidden", cwd=work)
    assert run.status == 1
    assert [failed["model"] for failed in json.loads(run.out)["failed"]] == ["tree/lost.glb", "tree/out.glb"]
    check = posectl("check", "tree/o*", cwd=work)
    assert check.status == 1 and "tree/out.glb" in check.out and "symbolic link" in check.out
    assert posectl("check", "tree/o*", "--models", "..", cwd=work).status == 0


def test_watch_follows_a_link_that_is_turned(links):
    running = begin("watch", "tree", "-o", "../out", "--size", "32", "--interval", "0.05", "--json", "--allow-hidden", cwd=links.parent)
    try:
        assert json.loads(running.stdout.readline())["made"] == 3
        (links / "new").symlink_to("a.glb")
        (links / "new").replace(links / "b.glb")
        assert json.loads(running.stdout.readline())["model"] == "tree/b.glb"
        (links.parent / ".store/robot.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        assert {json.loads(running.stdout.readline())["model"] for _ in range(3)} == {"tree/a.glb", "tree/b.glb", "tree/twin.glb"}
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


def test_prune_removes_what_is_gone(assets):
    run(assets, "--clips", "all", status=1)
    (assets / "birds/dragon.glb").unlink()
    run(assets, "--clips", "all", status=1)
    assert (assets.parent / "out/birds/dragon.glb.0-idle.png").exists()
    run(assets, "--clips", "all", "--prune", status=1)
    assert not list((assets.parent / "out").glob("birds/dragon*"))


def shown_by_the_page(out):
    sources = re.findall(r'<img loading="lazy" src="([^"]*)"', (out / "index.html").read_text())
    return sorted(unquote(html.unescape(source)) for source in sources)


@pytest.mark.parametrize("command", ["thumbs", "watch"])
def test_a_page_that_is_there_is_kept_up_to_date(assets, command):
    """Runs without --index update the page too, whether they draw other pictures or only some."""
    out = assets.parent / "out"
    run(assets, "--index", "--clips", "all", status=1)
    assert len(shown_by_the_page(out)) > 3
    again = ["assets", "-o", "out", "--size", "48", "--json"]
    if command == "thumbs":
        posectl("thumbs", *again, cwd=assets.parent)
    else:
        running = begin("watch", *again, cwd=assets.parent)
        try:
            assert json.loads(running.stdout.readline())["made"] == 3
            while "watching" not in running.stderr.readline():
                pass
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=PATIENCE_S)
    every = ["birds/dragon.glb.png", "birds/small/octo pus&.glb.png", "machines/crate.gltf.png"]
    assert shown_by_the_page(out) == sorted(pictures(out)) == every
    run(assets, "--include", "crate.gltf", "--yaw", "20")
    assert shown_by_the_page(out) == every and 'data-text="birds/dragon.glb ' in (out / "index.html").read_text()
    (assets / "birds/dragon.glb").unlink()
    run(assets, "--prune", status=1)
    assert shown_by_the_page(out) == sorted(pictures(out)) == every[1:]


def test_a_page_of_somebody_else_is_left_alone(assets):
    (assets.parent / "out").mkdir()
    (assets.parent / "out/index.html").write_text("mine")
    run(assets, status=1)
    assert (assets.parent / "out/index.html").read_text() == "mine"


def test_the_page_has_every_picture_and_failure(assets):
    (assets / "<img src=x onerror=alert(1)>.gltf").write_text(gltf())
    run(assets, "--index", "--clips", "all", status=1)
    page = (assets.parent / "out/index.html").read_text()
    assert "<img src=x" not in page and html.escape("<img src=x onerror=alert(1)>.gltf") in page
    out = assets.parent / "out"
    assert shown_by_the_page(out) == sorted(pictures(out))
    assert page.count('class="failed"') == 2 and "nowhere.bin" in page


def test_failures_are_listed_at_the_end(assets):
    done = posectl("thumbs", "assets", "-o", "out", cwd=assets.parent)
    assert done.status == 1
    *failed, last = done.out.splitlines()
    assert [line.split()[1] for line in failed] == ["assets/broken.gltf", "assets/machines/junk.fbx"]
    assert re.match(r"5 models: 3 drawn \(3 pictures\), 0 unchanged, 2 failed, in ", last)


def test_failures_of_one_reason_are_one_line(assets):
    for i in range(4):
        (assets / f"birds/{i}.fbx").write_bytes(b"no model at all")
    thumbs = lambda *options: posectl("thumbs", "assets", "-o", "out", "--size", "32", *options, cwd=assets.parent)
    *failed, last = thumbs().out.splitlines()
    assert len(failed) == 2 and ", 6 failed, in " in last
    assert re.match(r"failed  5 models, assets/birds/0.fbx among them  not_a_model: ", failed[0])
    assert failed[1].startswith("failed  assets/broken.gltf  companion_missing: ")
    named = thumbs("-v").out.splitlines()
    assert named[0].startswith("failed  5 models  not_a_model: ")
    assert [line.strip() for line in named[1:6]] == [f"assets/birds/{i}.fbx" for i in range(4)] + ["assets/machines/junk.fbx"]


def settle(folder):
    """Wait until the files are so old that a later change is sure to have another time."""
    newest = max(path.stat().st_ctime for path in folder.rglob("*"))
    wait_until(lambda: time.time() - newest > 1.1, "the clock stands still")


def remembered(report):
    return {failed["model"]: failed["remembered"] for failed in report["failed"]}


def test_what_failed_is_not_imported_again_until_something_changes(assets):
    """A missing companion is looked for each time. The file of garbage is not."""
    junk, broken = "assets/machines/junk.fbx", "assets/broken.gltf"
    settle(assets)
    assert remembered(run(assets, status=1)) == {junk: False, broken: False}
    assert remembered(run(assets, status=1)) == {junk: True, broken: False}
    again = posectl("thumbs", "assets", "-o", "out", "--size", "48", cwd=assets.parent)
    assert again.status == 1 and "1 of 2 failed in an earlier run and were not tried again: --retry does" in again.out
    assert remembered(run(assets, "--yaw", "20", status=1)) == {junk: True, broken: False}  # it would fail in any picture
    assert remembered(run(assets, "--retry", status=1)) == {junk: False, broken: False}
    assert remembered(run(assets, "--force", status=1)) == {junk: False, broken: False}
    assert remembered(run(assets, status=1))[junk]
    (assets / "machines/beside.bin").write_bytes(b"a file that a model may need")
    assert not remembered(run(assets, status=1))[junk]
    settle(assets)
    run(assets, status=1)
    assert remembered(run(assets, status=1))[junk]
    shutil.copy(SAMPLES / "robot.glb", assets / "machines/junk.glb")
    (assets / "machines/junk.fbx").unlink()
    assert remembered(run(assets, status=1)) == {broken: False}


def test_another_importer_tries_again(assets):
    """Also what it could read: the other one may read it in another way."""
    settle(assets)
    run(assets, status=1)
    manifest = assets.parent / "out/.posectl/manifest.jsonl"
    text = manifest.read_text()
    assert text.count('"failure":{') == 1
    manifest.write_text(text.replace('"importer":"posed-import ', '"importer":"posed-import of old '))
    again = run(assets, status=1)
    assert again["made"] == 3 and not any(remembered(again).values())
    assert any(remembered(run(assets, status=1)).values())


def test_pictures_in_the_folder_of_models_do_not_count(assets):
    """The output folder changes in every run."""
    settle(assets)
    for expected in False, True:
        (assets / "machines/pictures/other.txt").unlink(missing_ok=True)
        report = run(assets, "--include", "machines/*", out="assets/machines/pictures", status=1)
        assert remembered(report) == {"assets/machines/junk.fbx": expected}
        (assets / "machines/pictures/other.txt").write_text("new")


def test_a_second_run_beside_it_is_refused(assets):
    run(assets, status=1)
    import fcntl
    with open(assets.parent / "out/.posectl/lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = posectl("thumbs", "assets", "-o", "out", cwd=assets.parent)
    assert done.status == 3 and "another posectl is writing to" in done.err


def test_another_server_draws_what_lies_under_its_root(assets):
    server = Server(assets, "--tcp", "127.0.0.1:0")
    try:
        done = posectl("thumbs", "birds/", "-o", "out", "--size", "32", "--json", "--server", server.ports["tcp"], cwd=assets.parent)
        assert done.status == 0, done.err
        assert sorted(pictures(assets.parent / "out")) == ["dragon.glb.png", "small/octo pus&.glb.png"]
        again = posectl("thumbs", "birds/", "-o", "out", "--size", "32", "--json", "--server", server.ports["tcp"], cwd=assets.parent)
        assert json.loads(again.out)["unchanged"] == 2
        pattern = posectl("thumbs", "machines/c*", "-o", "two", "--json", "--server", server.ports["tcp"], cwd=assets.parent)
        assert json.loads(pattern.out)["made"] == 1
    finally:
        server.end()


def many(folder, count):
    folder.mkdir()
    for i in range(count):
        shutil.copy(SAMPLES / ("robot.glb", "dragon.glb")[i % 2], folder / f"{i:03}.glb")


class HalfWritten:
    """A partly written file."""

    def __init__(self, path):
        whole = path.read_bytes()
        self.file, self.rest = open(path, "wb"), whole[1000:]
        self.file.write(whole[:1000])
        self.file.flush()

    def finish(self):
        self.file.write(self.rest)
        self.file.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_is_completed_by_the_next(tmp_path, number):
    many(tmp_path / "assets", 24)
    # More files are being written than are drawn at once, so that the run does not end before it is stopped.
    written = [HalfWritten(tmp_path / f"assets/{i:03}.glb") for i in (10, 12, 15, 18, 21)]
    out = tmp_path / "out"
    running = begin("thumbs", "assets", "-o", "out", "--size", "128", "-j", "2", "--json", cwd=tmp_path)
    wait_until(lambda: running.poll() is not None or len(list(out.glob("*.png"))) >= 4, "no pictures")
    server, = children(running.pid)
    running.send_signal(number)
    for one in written:
        one.finish()
    stdout, _ = running.communicate(timeout=PATIENCE_S)
    before = pictures(out)  # each is complete
    assert 4 <= len(before) < 24, "it was not stopped"
    if number == signal.SIGINT:
        assert running.returncode == 130 and json.loads(stdout)["interrupted"]
    (out / ".posectl/tmp-left").write_bytes(b"as a killed run leaves it")
    with open(out / ".posectl/manifest.jsonl", "a") as journal:
        journal.write('{"model":"assets/023.glb","ha')  # and an incomplete line

    done = json.loads(posectl("thumbs", "assets", "-o", "out", "--size", "128", "--json", cwd=tmp_path).out)
    after = pictures(out)
    assert len(after) == 24 and done["made"] + done["unchanged"] == 24
    assert done["unchanged"] >= len(before) - 8  # those that were being drawn at the end
    assert sorted(p.name for p in (out / ".posectl").iterdir()) == ["lock", "manifest.jsonl"]
    assert all(json.loads(line) for line in (out / ".posectl/manifest.jsonl").read_text().splitlines() if line)
    wait_until(lambda: not is_running(server), "the server of the stopped run lives on")


@pytest.mark.parametrize("where", ["private", "tcp"])
def test_watch_is_told_of_changes(start, tmp_path, where):
    """It looks for new models only after an hour, so the server must have reported what it draws."""
    many(tmp_path / "assets", 3)
    (tmp_path / "assets/two.gltf").write_text(gltf(buffer="two.bin"))
    (tmp_path / "assets/two.bin").write_bytes(TRIANGLE)
    server = ["--server", start("--tcp", "127.0.0.1:0", root=tmp_path).ports["tcp"]] if where == "tcp" else []
    running = begin("watch", "assets/", "-o", "out", "--size", "32", "--interval", "3600", "--json", *server, cwd=tmp_path)
    says = lambda: json.loads(running.stdout.readline())
    try:
        assert says()["made"] == 4
        running.stderr.readline()  # "watching": all are watched by then
        for sample in "octopus.glb", "robot.glb":
            (tmp_path / "assets/000.glb").write_bytes((SAMPLES / sample).read_bytes())
            changed = says()
            assert (changed["model"], changed["error"]) == ("assets/000.glb", None)
        (tmp_path / "assets/two.bin").write_bytes(TRIANGLE[:-8] + struct.pack("<2f", 2, 0))
        assert says()["model"] == "assets/two.gltf"
        (tmp_path / "assets/001.glb").write_bytes(b"glTF")
        changed = says()
        assert (changed["model"], changed["error"]["code"]) == ("assets/001.glb", "bad_model")
        (tmp_path / "assets/001.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        changed = says()
        assert (changed["model"], changed["error"], len(changed["pictures"])) == ("assets/001.glb", None, 1)
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


def test_watch_outlives_its_server(start, tmp_path):
    many(tmp_path / "assets", 2)
    options = ["--unix", str(tmp_path / "socket")]
    server = start(*options)
    running = begin("watch", "assets/", "-o", "out", "--size", "32", "--interval", "0.05", "--json", "--server", tmp_path / "socket",
                    cwd=tmp_path)
    try:
        assert json.loads(running.stdout.readline())["made"] == 2
        server.end()
        while "waiting for the server" not in running.stderr.readline():
            pass
        (tmp_path / "assets/000.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        start(*options)
        lines = (json.loads(line) for line in running.stdout)
        lost = [next(lines)]
        while "model" not in lost[-1]:
            lost.append(next(lines))
        assert lost.pop()["model"] == "assets/000.glb" and {line["error"]["code"] for line in lost} == {"connection_lost"}
        (tmp_path / "assets/001.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        assert next(lines)["model"] == "assets/001.glb"
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


def test_watch_outlives_a_hangup_without_a_terminal(tmp_path):
    """watch goes on without a terminal. With one, it ends with the terminal."""
    many(tmp_path / "assets", 1)
    running = begin("watch", "assets", "-o", "out", "--size", "32", "--interval", "0.05", "--json", cwd=tmp_path, start_new_session=True)
    try:
        assert json.loads(running.stdout.readline())["made"] == 1
        running.send_signal(signal.SIGHUP)
        (tmp_path / "assets/000.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        assert json.loads(running.stdout.readline())["model"] == "assets/000.glb"
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


def test_watch_draws_what_changes(tmp_path):
    many(tmp_path / "assets", 2)
    running = begin("watch", "assets", "-o", "out", "--size", "32", "--interval", "0.05", "--json", cwd=tmp_path)
    try:
        assert json.loads(running.stdout.readline())["made"] == 2
        (tmp_path / "assets/000.glb").write_bytes((SAMPLES / "octopus.glb").read_bytes())
        assert json.loads(running.stdout.readline())["model"] == "assets/000.glb"
        (tmp_path / "assets/new.gltf").write_text(gltf())
        changed = json.loads(running.stdout.readline())
        assert changed["model"] == "assets/new.gltf" and changed["error"] is None
        assert png_size(tmp_path / "out" / changed["pictures"][0]["file"]) == (32, 32)
        (tmp_path / "assets/bad.gltf").write_text("{")
        assert json.loads(running.stdout.readline())["error"]["code"]
        for name in "bad.gltf", "001.glb":
            (tmp_path / "assets" / name).unlink()
            gone = json.loads(running.stdout.readline())
            assert gone == {"model": f"assets/{name}", "pictures": [], "error": None, "removed": True}
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130


@pytest.mark.parametrize("form, ending, start", [("webp", "webp", b"RIFF"), ("jpeg", "jpg", b"\xff\xd8\xff")])
def test_pictures_of_another_format(assets, form, ending, start):
    out = assets.parent / "out"
    run(assets, status=1)
    before = {path.relative_to(out).with_suffix("") for path in out.rglob("*.png")}
    run(assets, "--picture-format", form, "--quality", "50", "--index", status=1)
    drawn = list(out.rglob("*." + ending))
    assert {path.relative_to(out).with_suffix("") for path in drawn} == before and len(before) == 3
    assert all(path.read_bytes().startswith(start) for path in drawn) and not list(out.rglob("*.png"))
    assert all(html.escape(quote(str(path.relative_to(out)))) in (out / "index.html").read_text() for path in drawn)
    stamps = [path.stat().st_mtime_ns for path in drawn]
    run(assets, "--picture-format", form, "--quality", "50", status=1)
    assert [path.stat().st_mtime_ns for path in drawn] == stamps
