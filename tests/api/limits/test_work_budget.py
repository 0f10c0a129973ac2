"""--batch-cpu: work whose duration is not known beforehand has a limit, too."""
import pytest

import large_requests
import packets
from raw_requests import post

DRAWS = False


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    large_requests.put_models(folder)
    return folder


@pytest.mark.parametrize("name", ["rays at triangles, binary", "balls at triangles"])
def test_rays_take_no_more_than_a_batch_may(start, root, name):
    server = start("--batch-cpu", "10ms", "--tcp", "127.0.0.1:0", root=root)
    target, body = large_requests.REQUESTS[name]()
    answer = post(server, target, body)
    assert (answer.status, answer.error()) == (400, "batch_cpu")
    assert "more processor time than --batch-cpu 10" in answer.json()["error"]["message"]
    with packets.Link(server.ports["tcp"]) as link:
        assert "more processor time than --batch-cpu 10" in link.ask("raycast", body).error()[2]
    few = large_requests.raycast_binary("robot.glb", large_requests.rays(3))
    assert post(server, target, few).status == 200 and server.json("/v1/stats")["answers"]["running"] == 0
