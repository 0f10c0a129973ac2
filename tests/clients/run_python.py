"""The Python client as a runner: run_python.py ADDRESS [json]. With `json` it requests palettes, poses and meshes as JSON."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))
import canonical  # noqa: E402
import posed  # noqa: E402

MANY = ("skin", "skin_name", "joints", "joint_name", "subtree", "what", "t")


def value(name, text):
    """A parameter of HTTP as in a Python program: numbers, lists, names."""
    if name.endswith("_name") or name in ("hash", "background") or not isinstance(text, str):
        return text
    if name in MANY and "," in text:
        return [value(name, part) for part in text.split(",")]
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def options_of(query):
    options = {name: value(name, text) for name, text in query.parameters().items()}
    for name in "clip", "skin", "joint":
        if f"{name}_name" in options:  # a text is a name
            options["joints" if name == "joint" else name] = options.pop(f"{name}_name")
            if name == "joint":
                options["joints"] = [options["joints"]]
    return options


def of_frames(frames):
    """The lines of frames, from the client's arrays, with rows and columns swapped back."""
    lines = ["times " + canonical.bits("d", [x for pair in zip(frames.times, frames.clip_times) for x in pair])]
    for block in frames.blocks:
        for f in ["-"] if block.is_once else range(frames.frame_count):
            array = frames.array(block, None if block.is_once else f)
            if frames.layout == "mat4" and block.kind in ("palette", "scene", "local_matrix"):
                array = array.swapaxes(1, 2)
            lines.append(canonical.block(block.kind, f, block.index, array.reshape(-1).tolist()))
    return lines


def ask(client, query, is_json):
    options = options_of(query)
    model = client.model(options.pop("model", ""))
    if query.is_frames:
        if is_json:
            answer = client.json(f"/v1/{query.op}", model=model.path, **options)
            answer["node_count"] = model.info()["counts"]["nodes"]
            return canonical.of_json(query.op, answer)
        options.setdefault("t", None)
        return of_frames(model.frames(query.op, **options))
    if query.op == "mesh":
        options.pop("format")
        return canonical.of_bytes(model.glb(**options))
    if query.op in ("render", "sheet", "turntable"):
        return canonical.of_bytes(getattr(model, query.op)(**options))
    parameters = {"model": model.path} if model.path else {}
    return canonical.of_bytes(bytes(client.ask(f"/v1/{query.op}", **parameters, **options).body))


def main(address, form=""):
    with posed.connect(address) as client:
        def answer_of(query):
            try:
                return ask(client, query, form == "json")
            except posed.PosedError as error:
                return canonical.of_error(error.code)
        canonical.run(answer_of)


if __name__ == "__main__":
    main(*sys.argv[1:])
