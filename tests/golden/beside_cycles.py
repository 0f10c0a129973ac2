# Runs inside Blender: blender -b --factory-startup --python beside_cycles.py -- JOBS.json
# JOBS.json is a list of jobs as in beside_three.mjs, but "out" is a numpy file: linear light, premultiplied, RGBA, rows from the top (float32).
# It is a path tracer's picture of the materials in that light, with shadows and indirect light.
import json
import math
import sys

import bpy
import mathutils
import numpy

numpy.bool = bool  # which Blender 3.4's glTF add-on still calls it; numpy has dropped that name
BLENDER_FROM_GLTF = mathutils.Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))
SAMPLES = 96


def columns(numbers):
    return mathutils.Matrix([numbers[row::4] for row in range(4)])


def light_up(hdr):
    world = bpy.data.worlds.new("environment")
    bpy.context.scene.world = world
    world.use_nodes = True
    texture = world.node_tree.nodes.new("ShaderNodeTexEnvironment")
    texture.image = bpy.data.images.load(hdr)
    background = world.node_tree.nodes["Background"]
    world.node_tree.links.new(texture.outputs["Color"], background.inputs["Color"])


def stand(job):
    clip_from_view = columns(job["clip_from_view"])
    camera = bpy.data.cameras.new("camera")
    thing = bpy.data.objects.new("camera", camera)
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = thing
    thing.matrix_world = BLENDER_FROM_GLTF @ columns(job["view_from_scene"]).inverted()
    camera.sensor_fit = "HORIZONTAL"
    x = clip_from_view[0][0]
    if clip_from_view[3][3] == 1:
        camera.type, camera.ortho_scale = "ORTHO", 2 / x
        camera.shift_x = -clip_from_view[0][3] / 2
    else:
        camera.lens_unit, camera.angle = "FOV", 2 * math.atan(1 / x)
        camera.shift_x = clip_from_view[0][2] / 2
    distance = thing.matrix_world.translation.length + 1
    camera.clip_start, camera.clip_end = distance * 1e-4, distance * 1e3


def draw(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=job["glb"])
    light_up(job["hdr"])
    stand(job)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.seed = "CPU", SAMPLES, 1
    scene.cycles.use_denoising = False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.max_bounces = 6
    scene.render.film_transparent = True
    scene.render.threads_mode, scene.render.threads = "FIXED", 2
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = job["width"], job["height"], 100
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.image_settings.color_mode = "RGBA"
    scene.render.filepath = job["out"] + ".exr"
    bpy.ops.render.render(write_still=True)
    drawn = bpy.data.images.load(scene.render.filepath)
    drawn.colorspace_settings.name = "Linear"
    drawn.alpha_mode = "CHANNEL_PACKED"  # unchanged
    pixels = numpy.empty(4 * job["width"] * job["height"], "f4")
    drawn.pixels.foreach_get(pixels)
    numpy.save(job["out"], pixels.reshape(job["height"], job["width"], 4)[::-1])


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for one in json.load(jobs):
        draw(one)
