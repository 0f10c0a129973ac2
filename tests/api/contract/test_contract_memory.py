"""A refused request leaves nothing behind: the server's memory stops growing."""
import random

import pytest

import contract_model
from conftest import is_sanitized

DRAWS = False

P = "model=awkward.gltf"
# A sanitizer keeps freed memory for a while, to detect later use.
pytestmark = pytest.mark.skipif(is_sanitized(), reason="built with a sanitizer")


def size_kb(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_refused_requests(awkward):
    targets = [f"/v1/palette?{P}&clip=twin", f"/v1/palette?{P}&skn=0", "/nothing", f"/v1/pose?{P}&joints=nobody",
               f"/v1/palette?{P}&t=nan", f"/v1/palette?{P}&clip=overflow&t=0.9", "/v1/model?model=../x", "/v1/models?limit=0",
               "/v1/model?model=none.glb", f"/v1/mesh?{P}&hash={'0' * 64}", f"/v1/palette?{P}&t=0:1:100&format=bin"]
    with awkward.connect() as connection:
        def ask(times):
            for _ in range(times):
                for target in targets:
                    connection.get(target)

        ask(30)
        before = size_kb(awkward)
        ask(200)
        assert size_kb(awkward) - before < 2048


def test_damaged_models(start, tmp_path):
    """A model cut and changed everywhere gives 200, 415, or 422 with a message that names the file, and then the next answer."""
    whole = contract_model.awkward().encode()
    chance = random.Random(7)
    for i in range(40):
        data = bytearray(whole)
        if i % 2:
            del data[chance.randrange(len(data)):]
        else:
            for _ in range(1 + i // 4):
                data[chance.randrange(len(data))] = chance.choice(b'0129-[]{}",:\x00\xffaE.')
        (tmp_path / f"{i}.gltf").write_bytes(data)
    server = start(root=tmp_path)
    server.get("/v1/palette?model=0.gltf&t=0:1:100")
    before = size_kb(server)
    statuses = set()
    for i in range(40):
        for op in ("model", "palette", "mesh"):
            answer = server.get(f"/v1/{op}?model={i}.gltf&hash={'0' * 64}" if op == "mesh" else f"/v1/{op}?model={i}.gltf")
            statuses.add(answer.status)
            assert answer.status in (200, 409, 415, 422), answer.body
            assert answer.status == 200 or f"{i}.gltf" in answer.json()["error"]["message"], answer.body
    assert {415, 422} & statuses and size_kb(server) - before < 20 * 1024
    assert server.get("/healthz").status == 200
