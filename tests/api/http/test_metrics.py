"""/metrics: every family of the tables exists, in both forms, and changes with the events; --admin, its port."""
import os
import re
import signal
import socket
import subprocess
import time

import pytest

import exposition
import packets
import renderers
from conftest import BUILD, REPOSITORY, Connection, wait_until
from server_state import workers
from small_models import gltf

pytestmark = pytest.mark.short
OPEN = "application/openmetrics-text"
ROW = r'^X\(\w+, (\w+), "(\w+)", "([\w ]*)", ".*"\)$'
STATS = re.findall(ROW, (REPOSITORY / "protocol" / "stats.def").read_text(), re.M)
METRICS = re.findall(ROW, (REPOSITORY / "protocol" / "metrics.def").read_text(), re.M)


def family_of(group, name):
    """Metrics have base units."""
    return f"posed_{group}" + ("" if name == "count" else "_" + re.sub("_us$", "_seconds", name))


FAMILIES = {family_of(group, name): (kind.lower(), "") for kind, group, name in STATS}
FAMILIES.update({name: (kind.lower(), labels) for kind, name, labels in METRICS})
SUFFIX = {"counter": "_total", "info": "_info"}


@pytest.fixture
def watched(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    return start("--admin", "127.0.0.1:0", root=tmp_path)


def test_has_every_family_in_both_forms(watched):
    assert watched.get("/v1/render?model=a.gltf").status == 200
    text, openmetrics = (exposition.read(watched, form) for form in ("text/plain", OPEN))
    assert len(FAMILIES) == len(STATS) + len(METRICS) > 60
    unit_of = lambda name: name.rsplit("_", 1)[-1] if name.endswith(("_seconds", "_bytes")) else None
    assert {name: found[:2] for name, found in openmetrics.families.items()} == {
        name: (kind, unit_of(name)) for name, (kind, _) in FAMILIES.items()}
    assert {name: found[:2] for name, found in text.families.items()} == {
        name + SUFFIX.get(kind, ""): ("gauge" if kind == "info" else kind, None) for name, (kind, _) in FAMILIES.items()}
    assert {found[2] for found in text.families.values()} == {found[2].replace(r"\"", '"') for found in openmetrics.families.values()}


def test_labels_are_those_of_the_table(watched):
    for target in ("/v1/palette?model=a.gltf", "/v1/render?model=a.gltf", "/nothing", "/v1/model?model=none.glb"):
        watched.get(target)
    for (name, labels), _ in exposition.read(watched, OPEN).samples.items():
        family = max((family for family in FAMILIES if name.startswith(family)), key=len)
        assert {key for key, _ in labels} - {"le"} == set(FAMILIES[family][1].split()), (name, labels)


def test_counters_have_their_suffix_and_histograms_add_up(watched):
    watched.get("/v1/palette?model=a.gltf")
    metrics = exposition.read(watched, OPEN)
    for family, (kind, _) in FAMILIES.items():
        own = {"counter": {"_total"}, "gauge": {""}, "info": {"_info"}, "histogram": {"_bucket", "_sum", "_count"}}[kind]
        longer = [other for other in FAMILIES if other.startswith(family) and other != family]
        names = {name for name, _ in metrics.samples if name.startswith(family) and not name.startswith(tuple(longer))}
        assert names <= {family + suffix for suffix in own}, (family, names)
    bounds = [float(bound) for bound in re.search(r"in seconds: ([\d., \n]+)\.\n", (REPOSITORY / "protocol" / "metrics.md").read_text()).group(1).split(",")]
    for name in [name for name, (kind, _) in FAMILIES.items() if kind == "histogram"]:
        for labels, count in metrics.series(name + "_count").items():
            buckets = {dict(one)["le"]: value for one, value in metrics.series(name + "_bucket").items() if labels < one}
            values = [buckets.pop(bound) for bound in sorted(buckets, key=float)]
            assert len(values) == len(bounds) + 1 and values == sorted(values) and values[-1] == count, (name, labels)
    les = {dict(labels)["le"] for labels in metrics.series("posed_request_duration_seconds_bucket")} - {"+Inf"}
    assert sorted(map(float, les)) == bounds and all(re.search(r"[.e]", le) for le in les)


def test_form_by_accept(watched):
    for accept, is_open in (("*/*", False), (OPEN, True), (f"{OPEN};q=0.2, text/plain;q=0.5", False),
                            (f"{OPEN};version=1.0.0,{OPEN};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", True)):
        answer = watched.get("/metrics", f"Accept: {accept}")
        assert answer.headers["content-type"] == (f"{OPEN}; version=1.0.0; charset=utf-8" if is_open else "text/plain; version=0.0.4; charset=utf-8")
        assert answer.body.endswith(b"\n# EOF\n") == is_open and (b"# EOF" in answer.body) == is_open
        assert answer.headers["cache-control"] == "no-store" and "Accept" in answer.headers["vary"]
    assert watched.get("/metrics?x=1").error() == "unknown_parameter"
    assert watched.get("/metrics", method="HEAD").status == 200
    assert watched.get("/metrics", method="PUT").error() == "method_not_allowed"


def test_tells_the_same_as_the_statistics(watched):
    watched.get("/v1/palette?model=a.gltf")
    watched.get("/v1/palette?model=none.gltf")
    with watched.connect() as one:
        stats = one.get("/v1/stats").json()
        metrics = exposition.Metrics(one.get("/metrics").body.decode())
    for kind, group, name in STATS:
        family = family_of(group, name) + SUFFIX.get(kind.lower(), "")
        told = stats[group][name] * (1e-6 if name.endswith("_us") else 1)
        grown = {"requests.answered": 1, "connections.received_bytes": None, "connections.sent_bytes": None, "loops.longest_turn_us": None}.get(f"{group}.{name}", 0)
        assert metrics.get(family) >= told if grown is None else metrics.get(family) == told + grown, family
    assert metrics.get("posed_requests_errors_total", code="model_not_found") == stats["requests"]["errors"]["model_not_found"] == 1


@pytest.mark.parametrize("log", ("text", "off"))
def test_counts_requests_by_operation_and_status(start, tmp_path, log):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--log", log, root=tmp_path)
    before = exposition.read(server)
    sizes = {}
    with server.connect() as one:
        for target in ["/v1/palette?model=a.gltf"] * 5 + ["/v1/model?model=a.gltf"] * 2:
            sizes.setdefault(target[4:11], []).append(len(one.get(target).body))
        tag = one.get("/v1/model?model=a.gltf").headers["etag"]
        assert one.get("/v1/model?model=a.gltf", f"If-None-Match: {tag}").status == 304
        assert one.get("/v1/palette?model=none.gltf").status == 404
        assert one.get("/nowhere").status == 404
    after = exposition.read(server)
    grown = lambda name, **labels: after.get(name, **labels) - before.get(name, **labels)
    count = lambda operation, status: grown("posed_requests_total", operation=operation, status=status)
    assert (count("palette", "200"), count("palette", "404"), count("model", "200"), count("model", "304"), count("none", "404")) == (5, 1, 3, 1, 1)
    assert count("metrics", "200") == 1
    assert grown("posed_response_body_bytes_total", operation="palette") >= sum(sizes["palette"])
    for operation, requests in (("palette", 6), ("model", 4), ("none", 1)):
        assert grown("posed_request_duration_seconds_count", operation=operation) == requests
    assert grown("posed_request_duration_seconds_sum", operation="palette") > 0  # it includes the import
    assert grown("posed_connections_sent_bytes_total") > sum(sizes["palette"]) and grown("posed_connections_received_bytes_total") > 300


def test_counts_a_client_that_leaves(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--render-workers", "1", root=tmp_path)
    assert server.get("/v1/render?model=a.gltf").status == 200
    worker, = workers(server)
    os.kill(worker, signal.SIGSTOP)
    with server.connect() as one:
        one.send("GET /v1/render?model=a.gltf&yaw=5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: exposition.read(server).get("posed_renders_running") == 1)
        one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close by reset
    wait_until(lambda: exposition.read(server).get("posed_requests_total", operation="render", status="499") == 1)
    os.kill(worker, signal.SIGCONT)


@pytest.mark.parametrize("log", ("text", "off"))
def test_counts_packets(start, tmp_path, log):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--tcp", "127.0.0.1:0", "--log", log, root=tmp_path)
    with packets.connect(server.ports, "tcp") as link:
        model = link.open("a.gltf")
        for time_s in (0, 0.5, 1):
            assert link.ask("palette", packets.query((time_s,)), model).code == 0
        assert link.ask("ping").kind == "done"
        assert link.ask("palette", packets.query((0,), clip=77), model).kind == "error"
    metrics = exposition.read(server)
    count = lambda operation, status: metrics.get("posed_requests_total", operation=operation, status=status)
    assert (count("open", "200"), count("palette", "200"), count("palette", "404")) == (1, 3, 1)
    assert count("packet", "200") >= 1
    assert metrics.get("posed_request_duration_seconds_count", operation="palette") == 4


def test_counts_imports_and_pictures_by_outcome(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    (tmp_path / "bad.gltf").write_text("{}")
    server = start("--render-workers", "1", root=tmp_path)
    assert server.get("/v1/render?model=a.gltf").status == 200
    code = server.get("/v1/model?model=bad.gltf").error()
    metrics = exposition.read(server)
    outcomes = lambda what: {dict(labels)["outcome"]: count for labels, count in metrics.series(f"posed_{what}_duration_seconds_count").items()}
    assert outcomes("import") == {"success": 1, "error": 1, "cancelled": 0}
    assert outcomes("render") == {"success": 1, "error": 0, "cancelled": 0}
    assert metrics.get("posed_imports_failed_total", code=code) == 1
    assert metrics.get("posed_queue_wait_seconds_count", queue="imports") == 2
    assert metrics.get("posed_queue_wait_seconds_count", queue="renders") == 1
    assert metrics.get("posed_worker_ends_total", program="posed-import", reason="exit") >= 1
    worker, = workers(server)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: exposition.read(server).get("posed_worker_ends_total", program="posed-render", reason="signal") == 1)
    wait_until(lambda: exposition.read(server).get("posed_renders_workers_ready") == 1)
    metrics = exposition.read(server)
    assert metrics.get("posed_worker_starts_total", program="posed-render") == 2
    assert metrics.get("posed_worker_processes", program="posed-render") == 1


def test_counts_a_picture_that_fails(start, tmp_path):
    """A picture that nobody waits for any more is cancelled when another one needs its worker."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf())
    options, _ = renderers.install(tmp_path / "bin", "ready(); job(); wait()")
    server = start(*options, "--render-timeout", "1s", root=root)
    before = exposition.read(server)
    assert server.get("/v1/render?model=a.gltf&yaw=5").error() == "render_timeout"
    metrics = exposition.read(server)
    tries = 2
    for name, labels, more in (("posed_render_duration_seconds_count", {"outcome": "error"}, tries),
                               ("posed_renders_failed_total", {"code": "render_timeout"}, 1),
                               ("posed_worker_ends_total", {"program": "posed-render", "reason": "timeout"}, tries)):
        assert metrics.get(name, **labels) == before.get(name, **labels) + more, name


def test_tells_of_processes(watched):
    assert watched.get("/v1/render?model=a.gltf").status == 200
    first = exposition.read(watched)
    pid = watched.process.pid
    rss = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)) * 1024
    assert rss / 2 < first.get("process_resident_memory_bytes") < rss * 2 < first.get("process_virtual_memory_bytes") * 2
    assert abs(first.get("process_open_fds") - len(os.listdir(f"/proc/{pid}/fd"))) <= 2
    assert first.get("process_open_fds") < first.get("process_max_fds")
    assert abs(time.time() - first.get("process_start_time_seconds")) < 600
    assert first.get("process_cpu_seconds_total") > 0
    for program in ("posed-render", "posed-import-server"):
        assert first.get("posed_worker_processes", program=program) >= 1
        assert first.get("posed_worker_resident_memory_bytes", program=program) > 1 << 20
        assert first.get("posed_worker_cpu_seconds_total", program=program) > 0
    assert first.get("posed_worker_cpu_seconds_total", program="posed-import") > 0  # it has ended
    watched.get("/v1/render?model=a.gltf&yaw=9")
    second = exposition.read(watched)
    for (name, labels), value in first.samples.items():
        if name.endswith(("_total", "_count", "_bucket", "_sum")):
            assert second.samples[name, labels] >= value, (name, labels)
    assert second.get("process_start_time_seconds") == first.get("process_start_time_seconds")
    assert second.get("posed_worker_cpu_seconds_total", program="posed-render") > first.get("posed_worker_cpu_seconds_total", program="posed-render")


def test_tells_of_the_build_and_the_limits(start, tmp_path):
    server = start("--max-frames", "77", "--header-timeout", "1500ms", "--max-url", "5k", root=tmp_path)
    wait_until(lambda: exposition.read(server).get("posed_renders_workers_ready") > 0)
    version, metrics = server.json("/v1/version"), exposition.read(server)
    build, = metrics.series("posed_build_info")
    assert {key: version[key] if isinstance(version[key], str) else str(version[key]) for key in dict(build)} == dict(build)
    renderer, = metrics.series("posed_renderer_info")
    assert dict(renderer) == {"driver": version["renderer"]}
    assert metrics.get("posed_limit", limit="max-frames") == 77
    assert metrics.get("posed_limit_seconds", limit="header-timeout") == 1.5
    assert metrics.get("posed_limit_bytes", limit="max-url") == 5 * 1024
    options = set(re.findall(r'^X\(\w+, "([\w-]+)", ', (REPOSITORY / "protocol" / "limits.def").read_text(), re.M))
    told = [dict(labels)["limit"] for name in ("posed_limit", "posed_limit_bytes", "posed_limit_seconds") for labels in metrics.series(name)]
    assert len(told) == len(set(told)) and set(told) == options
    assert metrics.get("posed_draining") == 0


def test_tells_of_a_loop_that_hangs(start, tmp_path):
    server = start("--loops", "2", root=tmp_path)
    ran = lambda loop: exposition.read(server).get("posed_loop_lag_seconds_count", loop=loop)
    wait_until(lambda: ran("1") > 0 and ran("2") > 0)
    server.signal(signal.SIGSTOP)
    time.sleep(1.6)  # the timers are due every half second
    server.signal(signal.SIGCONT)
    late = lambda metrics, loop: metrics.get("posed_loop_lag_seconds_count", loop=loop) - metrics.get("posed_loop_lag_seconds_bucket", loop=loop, le="0.5")
    wait_until(lambda: all(late(exposition.read(server), loop) > 0 for loop in ("1", "2")))


# --- who may ask ---

def test_port_for_clients_wants_their_token(start, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    server = start("--token-file", str(tmp_path / "token"), "--admin", "127.0.0.1:0", root=tmp_path)
    assert server.get("/metrics").error() == "unauthorized"
    assert server.get("/metrics", "Authorization: Bearer 0123456789abcdef").status == 200
    assert exposition.read(server, port="admin").get("posed_requests_total", operation="none", status="401") == 1


@pytest.mark.parametrize("loops", ("1", "3"))
def test_admin_has_metrics_and_probes_only(start, tmp_path, loops):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--admin", "127.0.0.1:0", "--loops", loops, "--uploads", str(tmp_path / "in"), "--cors", "*", root=tmp_path)
    with Connection(server.ports["admin"]) as one:
        for target in ("/healthz", "/livez", "/readyz"):
            assert one.get(target).json() == {"status": "ok"}
        answer = one.get("/metrics", "Origin: http://page.example")
        assert answer.status == 200 and "access-control-allow-origin" not in answer.headers
        for target in ("/", "/v1/stats", "/v1/models", "/v1/model?model=a.gltf", "/v1/palette?model=a.gltf", "/v1/stream", "/page/x", "/metrics/x"):
            assert one.get(target).error() == "not_found", target
        assert one.get("/v1/model?model=a.gltf", method="DELETE").error() == "not_found"
    with Connection(server.ports["admin"]) as one:
        one.send("PUT /v1/models/b.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n{}{}")
        assert one.answer().error() == "not_found"
    with Connection(server.ports["admin"]) as one:  # no packets either
        one.send(b"\x93PSD" + bytes(60))
        answer = one.answer()
        assert answer.status == 400


def test_admin_on_loopback_answers_loopback_names(start, tmp_path):
    def ask(server, target, host):
        with Connection(server.ports["admin"].replace("0.0.0.0", "127.0.0.1")) as one:
            one.send(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
            return one.answer().status
    near = start("--admin", "127.0.0.1:0", "--allow-host", "watch.example", root=tmp_path)
    assert [ask(near, "/metrics", host) for host in ("localhost", "127.0.0.1:9878", "watch.example", "evil.example")] == [200, 200, 200, 421]
    assert ask(near, "/healthz", "10.1.2.3:9878") == 200
    far = start("--admin", "0.0.0.0:0", "--allow-host", "posed.example", root=tmp_path)
    assert ask(far, "/metrics", "10.1.2.3:9878") == 200


def test_admin_of_a_full_server(start, tmp_path):
    server = start("--admin", "127.0.0.1:0", "--max-connections", "2", root=tmp_path)
    with server.connect() as one, server.connect() as two:
        assert one.get("/healthz").status == two.get("/healthz").status == 200
        assert server.get("/healthz").error() == "overloaded"
        metrics = exposition.read(server, port="admin")
        assert metrics.get("posed_connections_refused_total") == 1 and metrics.get("posed_limit", limit="max-connections") == 2
    with Connection(server.ports["admin"]) as watcher:
        assert watcher.get("/metrics").status == 200  # and takes no client's place
        wait_until(lambda: exposition.read(server, port="admin").get("posed_connections_open") == 2)
        with server.connect() as one, server.connect() as two:
            assert one.get("/healthz").status == two.get("/healthz").status == 200


def test_admin_has_so_many_places(start, tmp_path):
    server = start("--admin", "127.0.0.1:0", root=tmp_path)
    watchers = [Connection(server.ports["admin"]) for _ in range(16)]
    assert all(one.get("/healthz").status == 200 for one in watchers)
    with Connection(server.ports["admin"]) as one:
        assert one.get("/healthz").status == 200  # the connection that has been idle longest is closed
        assert watchers[0].is_closed_by_server()
        assert all(other.get("/healthz").status == 200 for other in watchers[1:])
    for one in watchers:
        one.socket.close()


def test_admin_that_cannot_listen(start, tmp_path):
    server = start("--admin", "127.0.0.1:0", root=tmp_path)
    for loops in ("1", "2"):
        again = subprocess.run([BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp", "none", "--loops", loops, "--admin", server.ports["admin"]],
                               capture_output=True, text=True, timeout=60)
        assert again.returncode == 2 and f"cannot listen on {server.ports['admin']}" in again.stderr
    for text in ("nowhere", "127.0.0.1", "127.0.0.1:99999"):
        bad = subprocess.run([BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp", "none", "--admin", text], capture_output=True, text=True, timeout=60)
        assert bad.returncode == 2 and "admin" in bad.stderr, bad.stderr


def test_no_admin_unless_asked_for(start):
    assert "admin" not in start().ports
