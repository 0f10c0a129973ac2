#!/usr/bin/env python3
"""Where is the right hand at the moment of a hit?

    hand_at_hit.py ROOT [MODEL [CLIP [JOINT]]]      ROOT: the folder of the models, for a private server

The moment is the clip's marker with "hit" in its name. Without one it is the moment at which the joint is fastest.
"""
import math
import sys

import posed

RATE = 240  # poses a second that are evaluated


def moment_of_hit(model: posed.Model, clip: str, joint: str) -> float:
    """Returns the moment in seconds of clip time."""
    info = next((entry for entry in model.info()["clips"] if entry["name"] == clip), None)
    if info is None:
        model.pose(clip)  # the server's error names the clips that exist
        raise ValueError(f"'{clip}' is no clip")
    for marker in info.get("markers", []):
        if "hit" in marker["name"].lower():
            return float(marker["time"])
    pose = model.pose(clip, f"0:{info['duration']}:{RATE}", joints=joint, wrap="clamp")
    places = [[float(frame[0][row][3]) for row in range(3)] for frame in pose.scene]
    steps = [math.dist(a, b) for a, b in zip(places, places[1:])]
    return pose.clip_times[steps.index(max(steps)) + 1]


def main(root: str, path: str = "robot.glb", clip: str = "dance", joint: str = "hand_right") -> None:
    with posed.serve(root) as server:
        model = server.model(path)
        time_s = moment_of_hit(model, clip, joint)
        scene_from_joint = model.pose(clip, time_s, joints=joint, wrap="clamp").scene[0]
        place = [float(row[3]) for row in scene_from_joint[:3]]
        print(f"{path}, {clip} at {time_s:.3f} s: {joint} is at " + " ".join(f"{x:.4f}" for x in place))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except posed.PosedError as error:
        sys.exit(f"hand_at_hit: {error}")
