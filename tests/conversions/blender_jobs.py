# Runs inside Blender: blender -b --factory-startup --python blender_jobs.py -- JOBS.json ANSWERS.json
# Jobs are a list of objects, answers a list in that order, an error as {"error": TEXT}.
#   {"job": "poses", "file": GLB, "rest": GLB, "clips": [{"track": NAME, "times": [SECONDS]}]}
#       {"rest": FRAME, "clips": [[FRAME]]}; FRAME: {"objects": {NAME: 16 numbers}, "bones": {NAME: 16 numbers}}, world matrices in columns, Z up.
#       rest: the same file without animations, of which Blender cannot go back to the rest pose
#   {"job": "contents", "file": GLB}               {"objects": {NAME: OBJECT}}, see contents()
#   {"job": "rewrite", "file": GLB, "out": GLB}    {}; with the axes of joints and the keys of the file
#   {"job": "bake", "file": GLB, "out": GLB}       {}; as its menus do by themselves: joints point along bones, a pose for every frame
import json
import math
import sys
import traceback

import bpy
import numpy

numpy.bool = bool  # which Blender 3.4's glTF add-on still calls it; numpy has dropped that name


def load(path, heuristic):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path, bone_heuristic=heuristic)


def animated():
    """Things that may have tracks: objects, and the shape keys of their meshes."""
    for thing in bpy.data.objects:
        yield thing
        if thing.type == "MESH" and thing.data.shape_keys:
            yield thing.data.shape_keys


def placed():
    """Things with a place of their own: objects and bones."""
    for thing in bpy.data.objects:
        yield (thing.name, ""), thing
        for bone in thing.pose.bones if thing.pose else ():
            yield (thing.name, bone.name), bone


def snapshot():
    return {key: (tuple(one.location), tuple(one.rotation_quaternion), tuple(one.scale)) for key, one in placed()}


def play(track_name, rest):
    """The objects follow the track, from the rest pose on; None: no track."""
    for thing in animated():
        if thing.animation_data:
            tracks = [track for track in thing.animation_data.nla_tracks if track.name == track_name]
            thing.animation_data.action = None
            for track in thing.animation_data.nla_tracks:
                track.mute = True
    for key, one in placed():
        if key in rest:
            one.rotation_mode = "QUATERNION"
            one.location, one.rotation_quaternion, one.scale = rest[key]
    for thing in animated():
        if thing.animation_data:
            for track in thing.animation_data.nla_tracks:
                if track.name == track_name:
                    thing.animation_data.action = track.strips[0].action


def flat(matrix):
    return [matrix[r][c] for c in range(4) for r in range(4)]


def frame_at(time_s):
    scene = bpy.context.scene
    frame = time_s * scene.render.fps / scene.render.fps_base
    scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    objects, bones = {}, {}
    for thing in bpy.data.objects:
        objects[thing.name] = flat(thing.matrix_world)
        for bone in thing.pose.bones if thing.pose else ():
            bones[bone.name] = flat(thing.matrix_world @ bone.matrix)
    return {"objects": objects, "bones": bones}


def poses(job):
    load(job["rest"], "TEMPERANCE")
    rest = snapshot()
    at_rest = frame_at(0.0)
    load(job["file"], "TEMPERANCE")
    answers = []
    for clip in job["clips"]:
        play(clip["track"], rest)
        answers.append([frame_at(time_s) for time_s in clip["times"]])
    return {"rest": at_rest, "clips": answers}


def said(thing):
    """Custom properties: the file's extras."""
    plain = lambda value: value.to_dict() if hasattr(value, "to_dict") else list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
    return {key: plain(thing[key]) for key in thing.keys() if not key.startswith("_") and key != "cycles"}


def contents(job):
    """What the file says beyond poses: extras, texture coordinates and colours of corners, by the names of objects."""
    load(job["file"], "TEMPERANCE")
    objects = {}
    for thing in bpy.data.objects:
        mesh = thing.data if thing.type == "MESH" else None
        objects[thing.name] = {
            "extras": said(thing), "mesh": mesh and said(mesh), "parent": thing.parent and thing.parent.name,
            "materials": {one.name: said(one) for one in mesh.materials if one} if mesh else {},
            "uvs": [[x for corner in layer.data for x in corner.uv] for layer in mesh.uv_layers] if mesh else [],
            "colors": [[x for corner in layer.data for x in corner.color] for layer in mesh.vertex_colors] if mesh else [],
            "bones": {bone.name: said(bone) for bone in thing.pose.bones} if thing.pose else {}}
    return {"objects": objects}


def rewrite(job):
    load(job["file"], "BLENDER")  # this keeps the axes of the joints
    bpy.ops.export_scene.gltf(filepath=job["out"], export_format="GLB", export_force_sampling=False, export_optimize_animation_size=False,
                              export_all_influences=True, export_extras=True, export_cameras=True, export_lights=True)
    return {}


def bake(job):
    load(job["file"], "TEMPERANCE")
    bpy.ops.export_scene.gltf(filepath=job["out"], export_format="GLB")
    return {}


JOBS = {"poses": poses, "contents": contents, "rewrite": rewrite, "bake": bake}


def main():
    asked, answered = sys.argv[sys.argv.index("--") + 1:]
    answers = []
    with open(asked, encoding="utf-8") as file:
        jobs = json.load(file)
    for job in jobs:
        try:
            answers.append(JOBS[job["job"]](job))
        except Exception:  # the other jobs are still useful
            answers.append({"error": traceback.format_exc()})
    with open(answered, "w", encoding="utf-8") as file:
        json.dump(answers, file)


main()
