"""Passes of poses by Blender, for blender -b -P blender_passes.py -- MODEL CLIP COUNT OUT: prints {"s": .., "count": ..} on a line of its own.

The model is read and drawn once before. Each picture is 256 x 256, of another time of the clip, with four samples a pixel of Cycles: it needs no
display, as Eevee does. It has colour, depth, normal and the index of the object, which an OpenEXR file holds; Blender has no pass of joints.
"""
import json
import sys
import time

import bpy
import mathutils
import numpy

numpy.bool = bool  # Blender 3.4's glTF add-on wants the former name
path, clip, count, out = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=path)
scene = bpy.context.scene
meshes = [thing for thing in scene.objects if thing.type == "MESH" and thing.find_armature()]
rig = meshes[0].find_armature()
rig.animation_data.action = bpy.data.actions[next(name for name in bpy.data.actions.keys() if name.startswith(clip))]
for number, mesh in enumerate(meshes):
    mesh.pass_index = number + 1
corners = [mesh.matrix_world @ mathutils.Vector(corner) for mesh in meshes for corner in mesh.bound_box]
middle = sum(corners, mathutils.Vector()) / len(corners)
radius = max((corner - middle).length for corner in corners)
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.data.angle, camera.data.clip_start, camera.data.clip_end = 0.52, radius / 10, radius * 20
camera.location = middle + mathutils.Vector((0.5, -1, 0.4)).normalized() * radius * 4
camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
scene.collection.objects.link(camera)
scene.camera = camera
scene.world = bpy.data.worlds.new("world")
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising, scene.render.use_persistent_data = "CYCLES", 4, False, True
scene.render.resolution_x = scene.render.resolution_y = 256
scene.render.film_transparent = True
layer = scene.view_layers[0]
layer.use_pass_z = layer.use_pass_normal = layer.use_pass_object_index = True
scene.render.image_settings.file_format = "OPEN_EXR_MULTILAYER"
first, last = rig.animation_data.action.frame_range


def draw(number):
    scene.frame_set(int(first + (last - first) * (number * 0.618034 % 1)))
    scene.render.filepath = f"{out}/{number}.exr"
    bpy.ops.render.render(write_still=True)


draw(0)
begin = time.perf_counter()
for number in range(1, int(count) + 1):
    draw(number)
print("\n" + json.dumps({"s": time.perf_counter() - begin, "count": int(count)}), flush=True)
