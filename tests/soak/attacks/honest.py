"""Honest clients: every answer equals the one recorded without attacks, or is a refusal."""
import packets
from small_models import gltf
from upload_requests import packed, put

KEPT = {"kept.gltf": gltf(x=7).encode(), "deep/kept.gltf": gltf(x=8, triangles=9).encode(),
        "box.zip": packed([("box.gltf", gltf(x=9, buffer="data/b.bin")), ("data/b.bin", b"\0" * 36)])}
MODELS = [f"{i}.gltf" for i in range(4)] + ["up/kept.gltf", "up/deep/kept.gltf", "up/box/box.gltf"]
PICTURES = ["width=64&height=48", "width=40&height=40&yaw=30"]
REFUSALS = {503, 429}


def targets(battle):
    models = MODELS + sorted(path.name for path in battle.root.glob("*.glb"))
    for model in models:
        for op in ("model", "palette", "pose", "mesh", "bounds"):
            yield f"/v1/{op}?model={model}"
    for model in models[:5]:
        for look in PICTURES:
            yield f"/v1/render?model={model}&{look}"


class Notes:
    """The answers of an undisturbed server, over HTTP and over packets."""

    def __init__(self, battle):
        for name, body in KEPT.items():
            answer = put(battle.server, name, body)
            assert answer.status in (200, 201), answer.body
        self.answers = {}
        for target in targets(battle):
            answer = battle.server.get(target)
            assert answer.status == 200, (target, answer.body)
            self.answers[target] = (answer.headers.get("etag"), answer.body)
        self.packets = {}
        with packets.connect(battle.server.ports, "tcp") as link:
            for model in MODELS:
                self.packets[model] = link.ask("palette", packets.query(times=[0.25]), model=link.open(model)).body
        self.list = sorted(self.answers)

    def check(self, battle, target, answer):
        if answer is None and battle.is_tight:
            battle.counts["honest: closed"] += 1
        elif answer is None:
            battle.fault(f"honest: closed on {target}")
        elif answer.status == 200:
            battle.counts["honest: right"] += 1
            if (answer.headers.get("etag"), answer.body) != self.answers[target]:
                tag, body = self.answers[target]
                battle.fault(f"honest: {target} is answered otherwise: {answer.headers.get('etag')} {answer.body[:200]} was {tag} {body[:200]}")
        elif answer.status in REFUSALS:
            battle.counts[f"honest: {answer.error()}"] += 1
        else:
            battle.fault(f"honest: {target}: {answer.status} {answer.body[:300]}")

    def http(self, battle, rng):
        try:
            with battle.connect() as connection:
                for target in rng.choices(self.list, k=20):
                    if battle.stop.is_set():
                        return
                    answer = connection.get(target)
                    self.check(battle, target, answer)
                    if answer is None or answer.headers.get("connection") == "close":
                        return
        except OSError as problem:
            if not battle.is_tight and not battle.stop.is_set():
                battle.fault(f"honest: {problem!r}")
            raise

    def by_packets(self, battle, rng):
        with battle.link(rng) as link:
            for model in rng.choices(MODELS, k=10):
                opened = link.ask("open", model.encode())
                if opened is None or opened.kind == "error":
                    self.refused(battle, model, opened)
                    return
                answer = link.ask("palette", packets.query(times=[0.25]), model=opened.model)
                if answer is None or answer.kind == "error":
                    self.refused(battle, model, answer)
                elif answer.body != self.packets[model]:
                    battle.fault(f"honest packets: {model} is answered otherwise")
                battle.counts["honest: right by packets"] += 1

    @staticmethod
    def refused(battle, model, answer):
        number = answer.code if answer is not None else None
        battle.counts[f"honest packets: error {number}"] += 1
        if number not in (53, 54, 55, 57) and not (answer is None and battle.is_tight):
            battle.fault(f"honest packets: {model}: {answer}")
