"""The data made from a body of "{}" is limited, too: each layer of a JSON raycast takes kilobytes."""
import json

import pytest

from conftest import SAMPLES
from raw_requests import post

DRAWS = False


def raycast(entities, layers):
    return json.dumps({"entities": [{"model": "robot.glb", "layers": [{}] * layers}] * entities,
                       "rays": [{"origin": [0, 1, 9], "direction": [0, 0, -1]}]}).encode()


@pytest.mark.short
def test_layers_of_all_entities_have_a_limit(start):
    server = start(root=SAMPLES)
    assert post(server, "/v1/raycast", raycast(512, 16)).status == 200
    refused = post(server, "/v1/raycast", raycast(513, 16))
    assert (refused.status, refused.error()) == (400, "bad_parameter")
    assert "entities[512]: all together have more than 8192 layers" in refused.json()["error"]["message"]
