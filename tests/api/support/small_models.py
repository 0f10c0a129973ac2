"""Models of a few bytes, made by the tests that use them."""
import base64
import json
import struct

TRIANGLE = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)


def gltf(x=0.0, buffer=None, image=None, triangles=1):
    """Triangles on a node at (x, 0, 0). `buffer`: the file with their bytes (otherwise inside); `image`: the file of their texture."""
    size = len(TRIANGLE) * triangles
    uri = buffer or "data:application/octet-stream;base64," + base64.b64encode(TRIANGLE * triangles).decode()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "triangle", "mesh": 0, "translation": [x, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3 * triangles, "type": "VEC3",
                       "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": size}],
        "buffers": [{"uri": uri, "byteLength": size}],
    }
    if image:
        document["images"] = [{"uri": image}]
        document["textures"] = [{"source": 0}]
        document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        document["meshes"][0]["primitives"][0]["material"] = 0
    return json.dumps(document)


def place(answer):
    """The x of the triangle in a /v1/palette answer."""
    assert answer.status == 200, answer.body
    return answer.json()["frames"][0]["palettes"][0][0][12]


MD5MESH = """MD5Version 10
commandline ""
numJoints 2
numMeshes 1

joints {
"hip" -1 ( 1 2 3 ) ( 0 0 0 )
"leg" 0 ( 5 2 3 ) ( 0 0 -0.7071067811865476 )
}
mesh {
shader "skin"
numverts 3
vert 0 ( 0 0 ) 0 1
vert 1 ( 1 0 ) 1 1
vert 2 ( 0 1 ) 2 1
numtris 1
tri 0 0 2 1
numweights 3
weight 0 0 1 ( 1 1 1 )
weight 1 0 1 ( 8 0 0 )
weight 2 1 1 ( 0 0 2 )
}
"""


def md5anim(x):
    """A clip of MD5MESH: 2 frames at 10 a second, the first joint at (x, 2, 3) in the second."""
    bounds = "( 0 0 0 ) ( 1 1 1 )\n" * 2
    return f"""MD5Version 10
commandline ""

numFrames 2
numJoints 2
frameRate 10
numAnimatedComponents 1

hierarchy {{
"hip" -1 1 0
"leg" 0 0 1
}}

bounds {{
{bounds}}}

baseframe {{
( 1 2 3 ) ( 0 0 0 )
( 4 0 0 ) ( 0 0 -0.7071067811865476 )
}}

frame 0 {{
1
}}

frame 1 {{
{x}
}}
"""
