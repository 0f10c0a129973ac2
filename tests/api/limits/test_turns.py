"""No request keeps an event loop for long: the server counts turns of a loop that took more than 20 ms of its processor
time, ten times as long as a request may take."""
import pytest

import large_requests
import packets
from conftest import is_sanitized
from raw_requests import post

pytestmark = pytest.mark.short


@pytest.fixture(scope="module", params=["1", "2"], ids=["one-loop", "two-loops"])
def own(tmp_path_factory, request):
    from conftest import Server
    root = tmp_path_factory.mktemp("turns")
    large_requests.put_models(root)
    running = Server(root, "--tcp", "127.0.0.1:0", "--loops", request.param)
    for name in large_requests.MODELS:
        assert running.get(f"/v1/model?model={name}").status == 200
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


def turns(server):
    return server.json("/v1/stats")["loops"]


def ask(server, target, body):
    return server.get(target) if body is None else post(server, target, body)


@pytest.mark.parametrize("name", large_requests.REQUESTS)
def test_large_requests_do_not_keep_a_loop(own, name):
    target, body = large_requests.REQUESTS[name]()
    before = turns(own)
    for _ in range(2):
        answer = ask(own, target, body)
        assert answer.status in (200, 400, 413), answer.body[:300]
    after = turns(own)
    print(name, answer.status, len(answer.body), after)
    assert after["long_turns"] == before["long_turns"], (before, after, answer.status)
