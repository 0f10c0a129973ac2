"""A minute of a platform: HAProxy, four instances, Prometheus and an S3 source, through a kill, a drain, an addition, a rotation of tokens
and an outage of the source. No answer is wrong, none fails, and the metrics show the events. Closes with a line of counts."""
import contextlib
import re
import signal
import time

import prometheus
import pytest
from conftest import REPOSITORY, SAMPLES, Connection, Server, wait_until
from farm import Farm
from fronts import HAProxy
from load import Load, questions
from sources import Mount, S3Server

MINUTE_S = 60
OLD, NEW = "platform-token-of-before", "platform-token-from-now-on"
MONITORING = REPOSITORY / "deploy" / "monitoring"


class Schedule:
    """The times of the events, in seconds from the beginning. The load goes on between them."""

    def __init__(self):
        self.began, self.log = time.monotonic(), []

    def at(self, second, what):
        left_s = self.began + second - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)  # the minute itself, not a wait for an event
        self.log.append((round(time.monotonic() - self.began), what))


@pytest.fixture
def root(tmp_path):
    """The folder of the models, a mount of a bucket, and its source."""
    with contextlib.ExitStack() as left:
        models = tmp_path / "models"
        models.mkdir()
        source = S3Server(tmp_path / "source")
        left.callback(source.end)
        for sample in sorted(SAMPLES.glob("*.glb")):
            for i in range(4):
                source.put(f"{sample.stem}-{i}.glb", sample.read_bytes())
        mount = Mount(tmp_path, models, source)
        left.callback(mount.end)
        yield models, source


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(OLD + "\n")
    return path


def watch(farm, front, folder):
    """Prometheus with the configuration of deploy/monitoring, only faster, and HAProxy with it."""
    text = (MONITORING / "prometheus.yml").read_text()
    text = re.sub(r"(scrape_interval|evaluation_interval): \w+", r"\1: 1s", text)
    (folder / "prometheus.yml").write_text(text + f"\n  - job_name: haproxy\n    static_configs:\n      - targets: [{front.metrics.address}]\n")
    (folder / "alerts.yml").write_text((MONITORING / "alerts.yml").read_text())
    (folder / "targets").mkdir()
    (folder / "targets" / "posed.yml").write_text("- targets: [" + ", ".join(f'"{slot.admin.address}"' for slot in farm.slots) + "]\n")
    return prometheus.Prometheus(folder)


def rotate(farm, front, tokens, bearer, load):
    """Both tokens are valid, then only the new one. A client that has it in time notices nothing."""
    reload(farm, tokens, OLD, NEW)
    bearer[0] = NEW
    load.wait_for_those_under_way()  # with the old one, even a picture that waits for long
    reload(farm, tokens, NEW)
    refused = 0
    for _ in range(2 * len(farm.slots)):
        with Connection(front.address) as one:
            answer = one.get("/v1/version", f"Authorization: Bearer {OLD}")
            assert (answer.status, answer.error()) == (401, "unauthorized")
            refused += 1
    return refused


def reload(farm, tokens, *lines):
    new = tokens.with_suffix(".new")
    new.write_text("".join(line + "\n" for line in lines))
    new.rename(tokens)
    for slot in farm.up():
        slot.server.signal(signal.SIGHUP)
    for slot in farm.up():
        def holds():
            with Connection(slot.http.address) as one:
                return all((one.get("/v1/version", f"Authorization: Bearer {token}").status == 200) == (token in lines) for token in (OLD, NEW))
        wait_until(holds, f"{slot.name} does not take the tokens")


def outage(source, load, schedule):
    """The source is gone for some seconds. Instances answer what they have, and say that they could not look."""
    source.end()
    schedule.at(52, "the source has been gone for a while")
    load.wait_for(len(load.asked))
    source.begin()


def check_story(watched, farm, killed, drained, added, refused):
    """Prometheus' data about all of these events."""
    def value(expression):
        return sum(found for _, found in watched.query(expression))

    for slot in (killed, drained):
        assert value(f'min_over_time(up{{job="posed",instance="{slot.admin.address}"}}[5m])') == 0, slot.name
        assert value(f'changes(process_start_time_seconds{{job="posed",instance="{slot.admin.address}"}}[5m])') >= 1, slot.name
    assert value('sum(up{job="posed"})') == len(farm.slots)
    assert value(f'posed_requests_total{{instance="{added.admin.address}",operation="palette"}}') > 0
    assert value('sum(posed_requests_errors_total{code="unauthorized"})') >= refused
    assert value("sum(posed_cache_stale_total)") > 0
    assert value('sum(haproxy_server_status{proxy="posed",state="UP"})') == len(farm.slots)
    assert value('max_over_time(haproxy_server_check_failures_total{proxy="posed",server="%s"}[5m])' % killed.name) > 0


def test_a_minute_of_a_platform(root, tokens, tmp_path, capsys):
    models_folder, source = root
    bearer = [OLD]

    def headers():
        return [f"Authorization: Bearer {bearer[0]}"]

    models = sorted(path.name for path in models_folder.glob("*.glb"))
    lone = Server(models_folder, "--token-file", tokens)
    try:
        asked = questions(lone, models, headers())
    finally:
        lone.end()
    options = ["--token-file", str(tokens), "--cache-dir", str(tmp_path / "cache")]
    options += ["--drain-delay", "2s", "--watch-interval", "200ms", "--source-timeout", "1s"]
    with contextlib.ExitStack() as running:
        farm = running.enter_context(Farm(models_folder, options=options, takes_uploads=False))
        front = running.enter_context(HAProxy(farm, tmp_path))
        watched = running.enter_context(watch(farm, front, tmp_path))
        load = running.enter_context(Load(front.address, asked, headers=headers))
        load.wait_for(len(asked))
        wait_until(lambda: watched.query('sum(up{job="posed"})') and watched.query('sum(up{job="posed"})')[0][1] == 4, "Prometheus does not reach the instances")
        schedule, killed, drained, added = Schedule(), farm.slots[0], farm.slots[1], farm.slots[4]

        schedule.at(5, "kill")
        killed.server.signal(signal.SIGKILL)
        killed.server.wait()
        schedule.at(11, "return")
        farm.begin(killed)
        schedule.at(16, "drain")
        drained.server.signal(signal.SIGTERM)
        assert drained.server.wait() == 0
        schedule.at(24, "return")
        farm.begin(drained)
        schedule.at(29, "addition")
        farm.begin(added)
        schedule.at(38, "rotation")
        refused = rotate(farm, front, tokens, bearer, load)
        schedule.at(45, "outage")
        outage(source, load, schedule)
        schedule.at(MINUTE_S, "end")
        assert set(farm.placement()) == set(models) and added.name in farm.lines_of(" operation=palette ")
        wait_until(lambda: watched.query('sum(up{job="posed"})')[0][1] == len(farm.slots), "Prometheus does not reach all instances")
        check_story(watched, farm, killed, drained, added, refused)
    with capsys.disabled():
        print(f"\nplatform: {load.counts['right']} answers right ({load.counts['stale']} of them without a look at the source), {len(load.failures)} wrong or failed, "
              f"{load.counts['repeat']} to be repeated {dict(load.repeats)}, {load.counts['closed']} connections closed between answers, {refused} old tokens refused, "
              f"slowest {load.slowest_s:.2f} s ({' '.join(load.slowest)}), in {MINUTE_S} s")
    assert not load.failures, load.failures[:5]
    assert load.counts["right"] > 3 * len(asked)
    assert load.counts["stale"] > 0
