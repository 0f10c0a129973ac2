"""Files that cannot be read are refused by name, with advice, and never in the words of a library."""
import gzip
import pathlib
import re
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/api/support"))
import small_static  # noqa: E402

DRAWS = False

REFUSED = re.findall(r'^X\("(\w+)", "([^"]+)", "([^"]+)"\)', (TOP / "protocol/formats_refused.def").read_text(encoding="utf-8"), re.M)


def refusal(server, name, status=422, code=None):
    answer = server.get(f"/v1/model?model={name}")
    assert answer.status == status and code in (None, answer.error()), (name, answer.body)
    return answer.json()["error"]["message"]


def test_formats_that_nothing_reads_are_named(start, tmp_path):
    assert len(REFUSED) > 10 and "ndo" in [ending for ending, _, _ in REFUSED]
    rows = re.findall(r'^X\("(\w+)"', (TOP / "protocol/formats.def").read_text(encoding="utf-8"), re.M)
    assert not {ending for ending, _, _ in REFUSED} & set(rows)
    server = start("--render-workers", "0", root=tmp_path)
    for ending, name, instead in REFUSED:
        (tmp_path / f"a.{ending}").write_bytes(b"nendo 1.1")
        assert f"files of {name} (.{ending}) are not read: export {instead} instead" in refusal(server, f"a.{ending}", 415)
    (tmp_path / "a.zzz").write_text("?")
    assert "no importer knows this file's extension" in refusal(server, "a.zzz", 415)


BLENDS = {
    "four.blend": (b"BLENDER-v403" + b"\0" * 100, "this file of Blender 4.3 is not read"),
    "five.blend": (b"BLENDER17-01v0500" + b"\0" * 100, "this file of Blender 5.0 is not read"),
    "new.blend": (b"BLENDER-v283" + b"\0" * 100, "this file of Blender 2.83 is not read"),
    "gzip.blend": (gzip.compress(b"BLENDER_V401" + b"\0" * 100), "this file of Blender 4.1 is not read"),
    "zstd.blend": (b"\x28\xb5\x2f\xfd" + b"\0" * 100, "a compressed file of Blender 3.0 or newer is not read"),
    "other.blend": (gzip.compress(b"something else, in gzip"), "does not begin as files of Blender do"),
}


def test_versions_of_blender_are_named(start, tmp_path):
    for name, (content, _) in BLENDS.items():
        (tmp_path / name).write_bytes(content)
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, words) in BLENDS.items():
        is_other = name == "other.blend"
        told = refusal(server, name, *([] if is_other else [415, "unsupported_file"]))
        assert words in told and ("export it from Blender as glTF (.glb)" in told) != is_other, (name, told)


@pytest.mark.parametrize("content", [b"RSRC" + bytes(60), b"RSCC" + bytes(60), b'[gd_resource type="ArrayMesh" format=3]\n', b"\xef\xbb\xbf\n[gd_resource]\n"])
def test_meshes_of_godot_are_named(start, tmp_path, content):
    (tmp_path / "rock.mesh").write_bytes(content)
    (tmp_path / "rock.glb").write_bytes(content)
    server = start("--render-workers", "0", root=tmp_path)
    assert "this is a resource of Godot, which is not read: export the scene from Godot as glTF" in refusal(server, "rock.mesh", 415, "unsupported_file")
    refusal(server, "rock.glb", 415, "not_a_model")


# Words of assimp's own code, and of C++.
INTERNALS = re.compile(r"assimp|ai[A-Z]\w+|\w+::\w+|\.cpp|\.h\b|std\b|terminate|nullptr|0x[0-9a-f]{4,}|\bassert", re.I)


def damaged(content):
    """The same file, damaged in several ways."""
    content = content if isinstance(content, bytes) else content.encode()
    yield "half", content[:len(content) // 2]
    yield "letters", re.sub(rb"\d\.\d", b"q.q", content)
    yield "numbers", content.replace(b"4", b"999999999")
    yield "start", content[:40]


def test_words_of_libraries_stay_inside(start, tmp_path):
    names = []
    for ending in ("ac", "amf", "ase", "cob", "dxf", "enff", "ifc", "iqm", "lxo", "md3", "mdc", "nff", "off", "ogex", "pmx", "q3o", "xgl"):
        for kind, content in damaged(getattr(small_static, ending)()):
            names.append(f"{kind}.{ending}")
            (tmp_path / names[-1]).write_bytes(content)
    server = start("--render-workers", "0", root=tmp_path)
    refused = 0
    for name in names:
        answer = server.get(f"/v1/model?model={name}")
        if answer.status == 200:
            continue
        refused += 1
        error = answer.json()["error"]
        assert answer.status in (415, 422) and not INTERNALS.search(error["message"]), error
    assert refused > 20


def test_a_way_out_of_trouble_with_truespace(start, tmp_path):
    (tmp_path / "a.cob").write_text(small_static.cob().replace("World Vertices 4", "World Vertices 9"))
    server = start("--render-workers", "0", root=tmp_path)
    message = refusal(server, "a.cob")
    assert "trueSpace" in message and "save it from trueSpace in binary form, or as Wavefront OBJ" in message

