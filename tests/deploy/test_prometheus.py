"""/metrics in Debian's Prometheus: both forms scraped, the alerts of deploy/monitoring loaded, each expression of the dashboard run."""
import contextlib
import http.server
import json
import re
import shutil
import threading
import urllib.request

import pytest

from conftest import REPOSITORY, SAMPLES, wait_until
from prometheus import Prometheus, need, promtool

MONITORING = REPOSITORY / "deploy" / "monitoring"
DASHBOARD = json.loads((MONITORING / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
ALERTS = (MONITORING / "alerts.yml").read_text()
TOKEN = "0123456789abcdef-scrape"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")


@contextlib.contextmanager
def without_accept(address):
    """A proxy that removes Accept, so that the server answers in the older form."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            with urllib.request.urlopen(f"http://{address}{self.path}", timeout=60) as answer:
                body, kind = answer.read(), answer.headers["content-type"]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{proxy.server_port}"
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(SAMPLES / "dragon.glb", folder)
    (folder / "bad.gltf").write_text("{}")
    (folder / "empty.gltf").write_text('{"asset":{"version":"2.0"}}')
    (folder.parent / "token").write_text(TOKEN)
    return folder


class Traffic:
    """Requests of all kinds, including errors. Each call sends different ones."""

    def __init__(self, server):
        self.server, self.count = server, 0

    def send(self):
        self.count += 1
        (self.server.root / "bad.gltf").write_text("{}" + " " * self.count)  # another file, imported again
        for target, status in ((f"/v1/palette?model=dragon.glb&clip=0&t={self.count % 3}", 200), ("/v1/model?model=none.glb", 404),
                               (f"/v1/render?model=dragon.glb&yaw={self.count % 180}&width=64&height=64", 200), ("/v1/model?model=bad.gltf", 422),
                               ("/v1/render?model=empty.gltf", 422)):
            answer = self.server.get(target, f"Authorization: Bearer {TOKEN}")
            assert answer.status == status, (target, answer.status, answer.body[:200])


@pytest.fixture(scope="module")
def watched(root):
    """A server with all its metrics."""
    from conftest import Server
    server = Server(root, "--admin", "127.0.0.1:0", "--loops", "2", "--cache-dir", str(root.parent / "cache"), "--token-file", str(root.parent / "token"))
    server.root = root
    yield server
    server.end()


@pytest.fixture(scope="module")
def prometheus(watched, tmp_path_factory):
    """Prometheus with the configuration of deploy/monitoring, but other addresses and one scrape a second."""
    need()
    folder = tmp_path_factory.mktemp("prometheus") / "monitoring"
    shutil.copytree(MONITORING, folder)
    config = (folder / "prometheus.yml").read_text()
    assert config.count(": 15s") == 2
    config = config.replace(": 15s", ": 1s") + f"""
  - job_name: clients
    authorization:
      credentials_file: {watched.root.parent / "token"}
    static_configs:
      - targets: ["{watched.address}"]
"""
    (folder / "prometheus.yml").write_text(config)
    with without_accept(watched.ports["admin"]) as proxy:
        (folder / "targets" / "posed.yml").write_text(json.dumps([{"targets": [watched.ports["admin"], proxy]}]))
        with Prometheus(folder) as running:
            running.openmetrics, running.text = watched.ports["admin"], proxy
            yield running


def test_both_forms_pass_promtool(watched):
    need()
    Traffic(watched).send()
    with urllib.request.urlopen(f"http://{watched.ports['admin']}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    assert 'posed_requests_total{operation="palette",status="200"}' in text
    assert promtool("check", "metrics", text=text) == (0, "")
    code, said = promtool("check", "metrics", text=text.replace("_total", ""))  # it checks the text
    assert code != 0 and "_total" in said


def test_configuration_and_rules(tmp_path):
    need()
    shutil.copytree(MONITORING, tmp_path / "monitoring")
    for args in (("check", "config", "prometheus.yml"), ("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")):
        code, said = promtool(*args, folder=tmp_path / "monitoring")
        assert code == 0 and "SUCCESS" in said, said
    names = re.findall(r"- alert: (\w+)", ALERTS)
    cases = (MONITORING / "alerts_test.yml").read_text()
    for name in names:  # each once while all is well, and once while it fires
        assert len(re.findall(rf"alertname: {name}\b", cases)) == 2, name
    rule = "posed_sandbox_active == 0"
    assert ALERTS.count(rule) == 1
    (tmp_path / "monitoring" / "alerts.yml").write_text(ALERTS.replace(rule, "posed_sandbox_active == 7"))
    assert promtool("test", "rules", "alerts_test.yml", folder=tmp_path / "monitoring")[0] != 0


def known_series():
    """Names of series and their labels, from the document."""
    known = {"up": set()}
    for kind, name, labels in re.findall(r"^\| (\w+) \| `(\w+)` \| (.*?) \|", (REPOSITORY / "protocol" / "metrics.md").read_text(), re.M):
        own = set(re.findall(r"`(\w+)`", labels))
        known.update({name + end: own | ({"le"} if end == "_bucket" else set()) for end in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))})
    return known


@pytest.mark.parametrize("where, expressions", (("alerts", re.findall(r"expr: (?:>\n)?((?:.|\n)*?)\n +(?:for|labels):", ALERTS)), ("dashboard", EXPRESSIONS)))
def test_expressions_ask_for_what_there_is(where, expressions):
    known = known_series()
    options = set(re.findall(r'^X\(\w+, "([\w-]+)"', (REPOSITORY / "protocol" / "limits.def").read_text(), re.M))
    assert len(expressions) == (ALERTS.count("- alert:") if where == "alerts" else len(EXPRESSIONS)) > 10
    for expression in expressions:
        names = re.findall(r"\b((?:posed|process)_\w+|up)\b", expression)
        assert names and set(names) <= set(known), expression
        for name, matchers in re.findall(r"\b(\w+)\{(.*?)\}", expression):
            assert set(re.findall(r"(\w+)[=!]~?\"", matchers)) <= known[name] | {"job", "instance"}, expression
        assert set(re.findall(r'limit="([\w-]+)"', expression)) <= options, expression
        codes = re.findall(r'code="(\w+)"', expression)
        assert all(f'"{code}"' in (REPOSITORY / "protocol" / "errors.def").read_text() for code in codes), expression


def test_scrapes_both_forms(watched, prometheus):
    instances = {prometheus.openmetrics, prometheus.text, watched.address}
    traffic = Traffic(watched)
    traffic.send()
    wait_until(lambda: {labels["instance"] for labels, value in prometheus.query("up") if value == 1} == instances, "not every target is up")
    assert not any(target["lastError"] for target in prometheus.api("targets")["activeTargets"])
    unit = lambda instance: {one["unit"] for one in prometheus.api("targets/metadata", match_target=f'{{instance="{instance}"}}', metric="posed_import_duration_seconds")}
    assert (unit(prometheus.openmetrics), unit(prometheus.text)) == ({"seconds"}, {""})
    count = lambda expression: {labels["instance"]: value for labels, value in prometheus.query(expression)}
    requests = count('sum by (instance) (posed_requests_total{operation="render"})')
    traffic.send()
    wait_until(lambda: set((now := count('sum by (instance) (posed_requests_total{operation="render"})'))) == instances
               and all(value >= requests[instance] + 2 for instance, value in now.items()), "the counts do not move")
    # a series is the same in either form, including the bounds of buckets
    bounds = {instance: {labels["le"] for labels, _ in prometheus.query(f'posed_queue_wait_seconds_bucket{{queue="imports",instance="{instance}"}}')} for instance in instances}
    assert len(bounds[prometheus.text]) > 10 and len({frozenset(found) for found in bounds.values()}) == 1
    for name in ("posed_build_info", "posed_renderer_info", "process_start_time_seconds", "posed_limit_seconds"):
        series = {instance: {frozenset(item for item in labels.items() if item[0] not in ("instance", "job")) for labels, _ in prometheus.query(f'{name}{{instance="{instance}"}}')}
                  for instance in instances}
        assert series[prometheus.text] == series[prometheus.openmetrics] and series[prometheus.text], name


def test_rules_are_evaluated_and_quiet(watched, prometheus):
    Traffic(watched).send()
    rules = lambda: [rule for group in prometheus.api("rules")["groups"] for rule in group["rules"]]
    wait_until(lambda: all(rule["health"] == "ok" for rule in rules()), "not every rule is evaluated")
    assert sorted(rule["name"] for rule in rules()) == sorted(re.findall(r"- alert: (\w+)", ALERTS))
    # `for` keeps the others back: a test of a minute makes more errors than a server should have
    assert not [rule["name"] for rule in rules() if rule["name"] in ("PosedDown", "PosedRestarts", "PosedWithoutRenderer") and rule["state"] != "inactive"]


def test_every_expression_of_the_dashboard_has_values(watched, prometheus):
    assert len(EXPRESSIONS) == len(set(EXPRESSIONS)) > 50
    variables = {"$instance": ".*", "$__rate_interval": "15s"}
    assert {name for expression in EXPRESSIONS for name in re.findall(r"\$\w+", expression)} == set(variables)
    asked = re.compile("|".join(map(re.escape, variables)))
    pending = {asked.sub(lambda match: variables[match.group()], expression) for expression in EXPRESSIONS}
    traffic = Traffic(watched)

    def is_all_there():
        traffic.send()
        pending.difference_update([expression for expression in pending if prometheus.query(expression)])
        return not pending
    try:
        wait_until(is_all_there)
    except AssertionError:
        raise AssertionError(f"no values for {sorted(pending)}") from None


def test_dashboard_is_whole():
    """Grafana's requirements: unique numbers, panels that do not overlap, the variables of the expressions."""
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids)) and all(panel["title"] for panel in DASHBOARD["panels"])
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells
    assert [one["name"] for one in DASHBOARD["templating"]["list"]] == ["datasource", "instance"]
    assert all(panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"} for panel in PANELS)
