"""Attacks by uploads: refused ones over valid models, companions outside the folder, deep names, cut bodies."""
import contextlib
import json

from small_models import gltf
from upload_requests import delete, packed

REFUSED = {400, 404, 409, 413, 415, 422}
# None names the file itself, which may be its own buffer.
CLIMBS = ("../../../.env", "../../.env", "../.env", "../../.private/s.png", "../../decoy.bin", "..%2F..%2F.env", "/etc/passwd", "../kept.gltf",
          "../two0/m.gltf", "../../0.gltf", "./../../.env", "data/../../../.env", "..\\..\\.env")


def over_good_models(battle, rng):
    """A refused upload leaves the older model, which honest clients request meanwhile."""
    name = rng.choice(("kept.gltf", "deep/kept.gltf", "box.zip"))
    if name == "box.zip":
        body = rng.choice((b"PK\5\6", packed([("box.gltf", "{")]), packed([("box.gltf", gltf(buffer="none.bin"))]),
                           packed([("a.txt", "x")]), packed([("../box.gltf", gltf())]), packed([("box.gltf", climbing(rng))])))
    else:
        body = rng.choice((b"", b"{", b"version https://git-lfs.github.com/spec/v1\n", gltf(buffer="none.bin").encode(), climbing(rng).encode(),
                           gltf().encode()[:-20]))
    battle.put("refused upload", name, body, REFUSED)


def climbing(rng):
    return gltf(buffer=rng.choice(CLIMBS))


def companions(battle, rng):
    """A companion or a texture elsewhere. No answer ever contains any of it."""
    uri = rng.choice(CLIMBS)
    name = f"climb{rng.randrange(5)}"
    if rng.random() < 0.5:
        document = gltf(image=uri)
    else:
        document = json.loads(gltf())
        document["buffers"][0] = {"uri": uri, "byteLength": 8}
        document = json.dumps(document)
    is_zip = rng.random() < 0.5
    decoys = [("data/x", "1"), (".env", "0" * 40)] if rng.random() < 0.5 else []
    body = packed([("m.gltf", document)] + decoys) if is_zip else document.encode()
    if battle.put("companion", f"{name}.{'zip' if is_zip else 'gltf'}", body, REFUSED | {200, 201}):
        model = f"up/{name}/m.gltf" if is_zip else f"up/{name}.gltf"
        for op in ("mesh", "model"):
            answer = battle.server.get(f"/v1/{op}?model={model}")
            battle.expect("companion answered", answer, REFUSED | {200})
            if answer is not None and answer.status == 200 and uri_is_hidden(uri) and b"SECRET" in answer.body:
                battle.fault(f"companion {uri}: its bytes are answered")


def uri_is_hidden(uri):
    return ".env" in uri or ".private" in uri or "decoy" in uri


def deep(battle, rng):
    """Names, and names in zips, that are too deep; and names at the limit, stored and deleted again."""
    depth = rng.choice((3, 60, 64, 66, 100, 400))
    path = "/".join("d" * rng.choice((1, 5)) for _ in range(depth))
    allowed = REFUSED | ({200, 201} if depth <= 64 else set()) | {414, 507}
    if rng.random() < 0.5:
        body, name = packed([(f"{path}/m.gltf", gltf()), ("n.gltf", gltf())]), "deepest.zip"
        allowed |= {200, 201}  # entries that are too deep may be left out if the request is not for a model
    else:
        body, name = gltf().encode(), f"deepest/{path}/m.gltf"
    if battle.put("deep", name, body, allowed):
        battle.expect("deep delete", delete(battle.server, "deepest"), {200, 204, 404, 409})


def whole_or_not(battle, rng):
    """Two versions of one model, whose connection is cut now and then: only complete ones are ever listed."""
    name, version = f"two{rng.randrange(3)}", rng.randrange(2)
    body = packed([("m.gltf", gltf(x=version, buffer="b.bin", triangles=300)), ("b.bin", b"\0" * 36 * 300)])
    with battle.connect() as connection:
        cut = rng.choice((len(body), len(body), rng.randrange(len(body))))
        connection.send(f"PUT /v1/models/{name}.zip HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n")
        connection.send(body[:cut])
        if cut == len(body):
            battle.expect("upload", connection.answer(), {200, 201, 409})
    with contextlib.suppress(OSError):
        check_whole(battle)


def check_whole(battle):
    """Each listed one is one of the two versions."""
    for i in range(3):
        answer = battle.server.get(f"/v1/palette?model=up/two{i}/m.gltf")
        if battle.expect("whole", answer, {200, 404}):
            if answer.json()["frames"][0]["palettes"][0][0][12] not in (0, 1):
                battle.fault("an upload is answered that nobody made")
