"""turn= of /v1/render: a turned joint looks as a clip that has the same rotation, and the rest of the pose is kept."""
import base64
import json
import math

import pytest

import rigs
from conftest import Server
from png_picture import picture
from rigs import Writer

VIEW = "width=96&height=96&frame_box=-2,-5,0,9,6,4&view=lit"


def times(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def turned(*degrees):
    """Intrinsic rotations about x, y, z, one after the other."""
    found = [0, 0, 0, 1]
    for axis, angle in enumerate(degrees):
        half = math.radians(angle) / 2
        one = [0, 0, 0, math.cos(half)]
        one[axis] = math.sin(half)
        found = times(found, one)
    return found


def model(rotations):
    """The limb with joints that are rotated at rest, and a clip of the same joints with `rotations`."""
    document = json.loads(rigs.limb(rig={**rigs.LIMB_RIG, "lower": ("upper", {"translation": [0, 2, 0], "rotation": turned(20, 0, -30)})}))
    writer = Writer()
    writer.names = rigs.LIMB_NAMES
    writer.clips({"clip": {(joint, "rotation"): [rotation, rotation] for joint, rotation in rotations.items()}})
    data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1])
    assert len(data) % 4 == 0
    for view in writer.document["bufferViews"]:
        document["bufferViews"].append({**view, "byteOffset": view["byteOffset"] + len(data)})
    first = len(document["accessors"])
    for accessor in writer.document["accessors"]:
        document["accessors"].append({**accessor, "bufferView": accessor["bufferView"] + len(document["bufferViews"]) - len(
            writer.document["bufferViews"])})
    for animation in writer.document["animations"]:
        for sampler in animation["samplers"]:
            sampler["input"] += first
            sampler["output"] += first
    document["animations"] = writer.document["animations"]
    data += writer.bytes
    document["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
    return json.dumps(document)


@pytest.fixture(scope="module")
def drawing(tmp_path_factory):
    root = tmp_path_factory.mktemp("turns")
    (root / "a.gltf").write_text(model({"lower": times(turned(20, 0, -30), turned(40, -25, 70)), "upper": turned(0, 15, 0)}))
    server = Server(root)
    if server.get(f"/v1/render?model=a.gltf&{VIEW}").status == 503:
        server.end()
        pytest.skip("no renderer")
    yield server
    server.end()


def draw(server, query):
    return picture(server.get(f"/v1/render?model=a.gltf&{VIEW}&{query}")).rows


def differ(a, b):
    """How many pixels differ by more than rounding."""
    return sum(max(abs(x - y) for x, y in zip(p, q)) > 3 for row, other in zip(a, b) for p, q in zip(row, other))


def test_a_turned_joint_looks_as_in_a_clip(drawing):
    clip = draw(drawing, "clip=0&t=0")
    assert differ(clip, draw(drawing, "clip=-&turn=lower:40,-25,70&turn=upper:0,15,0")) == 0
    assert differ(clip, draw(drawing, "clip=-&turn=1:0,15,0&turn=2:40,-25,70")) == 0
    assert differ(clip, draw(drawing, "clip=-")) > 200
    assert differ(clip, draw(drawing, "clip=-&turn=lower:70,-25,40&turn=upper:0,15,0")) > 50
    assert differ(draw(drawing, "clip=-"), draw(drawing, "clip=0&t=0&turn=upper:0,-15,0")) > 50  # the clip keeps the lower joint


def test_the_camera_of_later_pictures_is_its_own(drawing):
    """Without a box the camera frames what the clip shows, whatever turned before."""
    target = "/v1/render?model=a.gltf&width=64&height=64&clip=0&t=0"
    before = drawing.get(target).body
    turned_one = drawing.get(target + "&turn=upper:120,0,0").body
    assert drawing.get(target).body == before != turned_one
    tight = drawing.get(target + "&turn=upper:120,0,0&frame=pose")
    assert tight.status == 200 and tight.body != turned_one


@pytest.mark.parametrize("turn, status, code", [
    ("nobody:0,0,1", 404, "joint_not_found"), ("99:0,0,1", 404, "joint_not_found"), ("lower", 400, "bad_parameter"),
    ("lower:1,2", 400, "bad_parameter"), ("lower:1,2,3,4", 400, "bad_parameter"), ("lower:361,0,0", 400, "bad_parameter"),
    ("lower:nan,0,0", 400, "bad_parameter"), (":1,2,3", 400, "bad_parameter"), ("lower:,,", 400, "bad_parameter"),
    ("&turn=".join(["lower:1,2,3", "2:4,5,6"]), 400, "duplicate_parameter"), ("&turn=".join(["lower:1,2,3"] * 65), 400, "bad_parameter")])
def test_bad_turns_are_refused(drawing, turn, status, code):
    answer = drawing.get(f"/v1/render?model=a.gltf&turn={turn}")
    assert (answer.status, answer.error()) == (status, code), answer.body


def test_turns_in_a_body_and_of_sheets(drawing):
    body = b'{"model":"a.gltf","clip":"-","width":96,"height":96,"frame_box":[-2,-5,0,9,6,4],"turn":["lower:40,-25,70","upper:0,15,0"]}'
    with drawing.connect() as connection:
        connection.send(f"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        posted = connection.answer()
    assert differ(picture(posted).rows, draw(drawing, "clip=0&t=0")) == 0
    sheet = f"/v1/sheet?model=a.gltf&{VIEW}&clip=0&t=0,0.5"
    turned_one, plain = picture(drawing.get(sheet + "&turn=upper:0,-15,0")).rows, picture(drawing.get(sheet)).rows
    assert differ(turned_one, plain) > 100
