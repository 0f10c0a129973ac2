#!/usr/bin/env python3
"""Shows that the tests notice mistakes. It makes deliberate ones in the evaluator, the importers and the connections, one at a time, in
copies of the tree. Each time, the unit tests or the comparisons with the independent evaluators must fail.

    tests/mutations.py [--copies N] [WORD]       only mistakes with WORD in the title; N at a time, default: one for each processor

Prints a line for each mistake, which names the test that caught it and the seconds until then, and at the end the totals. The exit
status is 1 if a mistake was not noticed, or no longer applies to the code.
"""
import argparse
import os
import pathlib
import queue
import sys
import tempfile
import threading
import time

from mutation_copies import API, PROGRAMS, TOP, UNIT, Copy


def source(name):
    """The path of the one file of server/ with this name."""
    path, = (TOP / "server").rglob(name)
    return str(path.relative_to(TOP))


POSE, SAMPLE, MAT, SKIN, MORPH, DUAL = map(source, ("pose.c", "sample.c", "mat.c", "skin.c", "skin_morph.c", "skin_dual.c"))
SCALE_FRAME, SCALE_EFFECT, FBX_TRANSFORM = map(source, ("scale_frame.c", "scale_effect.c", "fbx_transform.c"))
SCALAR, VECTORS, ROTATION, ROWS, PLAN, CLIP_LANES, FRAMES, COMPILE = map(source, (
    "kernel_scalar.c", "kernel_vectors.h", "kernel_rotation.h", "kernel_rows.h", "clip_plan.c", "clip_lanes.c", "clip_frames.c", "clip_compile.c"))
GROUP, GROUP_LANES, CROWD, MIX = map(source, ("clip_group.c", "kernel_group.h", "crowd_group.c", "kernel_mix.h"))
FBX_CURVE, FBX_PLACE, FBX_TANGENT, FBX_LAYER, FBX_TAKE, FBX_NODE_CHANNELS, FBX_CLIP_WEIGHTS = map(source, (
    "fbx_curve.c", "fbx_curve_place.c", "fbx_tangent.c", "fbx_layer.c", "fbx_take.c", "fbx_node_channels.c", "fbx_clip_weights.c"))
CURVE, TARGET = map(source, ("collada_curve.c", "collada_target.c"))
INFLUENCE, ACCESSOR, ANIM, NODE = map(source, ("gltf_influence.c", "gltf_accessor.c", "gltf_anim.c", "gltf_node.c"))
INFLUENCES = "server/import/mesh/influences.c"
SEARCH = source("source_search.c")
AXES, CLIP, MD5, LOSSES = map(source, ("assimp_axes.c", "assimp_clip.c", "assimp_md5.c", "assimp_warnings.c"))

CONTACTS, FEET, HEIGHTS, LEGS, LOOP, KEYS = map(source, ("check_contacts.c", "check_feet.c", "check_heights.c", "check_legs.c", "check_loop.c", "check_keys.c"))
ZONE, STRAYS, FLEX_JOINTS, FLEX_POSE, FLEX_SURFACE = map(source, ("flex_zone.c", "flex_strays.c", "flex_joints.c", "flex_pose.c", "flex_surface.c"))
ROOT_MOTION, VRM_0, EXPRESSIONS, REST = map(source, ("export_root_motion.c", "vrm_0.c", "vrm_expressions.c", "rest_reference.c"))
CONSTRAINT, CONSTRAINT_ORDER = map(source, ("constraint.c", "constraint_order.c"))
CHECKS, BENDS, ROOTS, VRM, RESTS = "checks of motion", "bends", "root motion of files", "files of VRM", "rests of clips"  # of API
CONSTRAINTS, POSES, LOOKS = "constraints", "given poses", "looks"  # likewise
GIVEN_POSE, GIVEN_WEIGHTS, GIVEN_LOOKS, TRS_MIX, GIVE, GIVE_ROWS, ENTITY_GIVEN, REQUEST_GIVEN, GIVEN_RESOLVE = map(source, (
    "given_pose.c", "given_weights.c", "given_looks.c", "trs_mix.c", "give.c", "give_rows.c", "entity_given.c", "request_given.c", "given_resolve.c"))

CONN, CONN_IO, CONN_TIME = map(source, ("conn.c", "conn_io.c", "conn_time.c"))

# title, file, the code, the mistake; perhaps which tests run first: words as in WORDS, or a name of API
MUTATIONS = [
    ("hierarchy product swapped", POSE,
     "dmat4_mul(&pose->scene_from_node[parent], &parent_from_node)", "dmat4_mul(&parent_from_node, &pose->scene_from_node[parent])"),
    ("palette product swapped", POSE,
     "dmat4_mul(&pose->scene_from_node[joint->node], &joint_from_bind)", "dmat4_mul(&joint_from_bind, &pose->scene_from_node[joint->node])"),
    ("a scale that is not inherited does not move the child either", SCALE_FRAME,
     "unscaled.translation[i] *= parent->scale[i];", "unscaled.translation[i] *= 1;"),
    ("segment scale compensation forgets what the parent inherits", SCALE_FRAME,
     "? parent->scale : parent->inherited;", "? parent->scale : ONE;"),
    ("tangents of a scale are not looked at", SCALE_EFFECT, "kind_of(values) == KIND_OTHER || kind_of(values + 6) == KIND_OTHER", "false"),
    ("retargeting: an arm keeps how its own rig rests", "server/anim/retarget/rest_correction.c",
     "return mat3_mul(&smallest, above);", "return smallest.m[0] > 2 ? smallest : *above;"),
    ("retargeting: the hips move as many units as those of the clip", "server/anim/retarget/rest_motion.c",
     "motion->scale * (place[i] - joint->source_rest[i])", "place[i] - joint->source_rest[i]"),
    ("retargeting: the ball of a foot takes over nothing from the ankle", "server/anim/retarget/planted_feet.c",
     "hold->place[c] = place[c] + offset[c];", "hold->place[c] = place[c] + offset[c] * 0;"),
    ("lights: a range ends nothing", "shaders/lights.glsl", "share = max(1.0 - left * left, 0.0) / squared;", "share = 1.0 / squared;"),
    ("lights: as bright at every distance", "shaders/lights.glsl", "way * inversesqrt(squared);", "way * inversesqrt(squared), squared = 1.0;"),
    ("lights: the edge of a cone is on its other side", "server/render/draw/model_lights.c", "(float)(-outer * factor)", "(float)(-inner * factor)"),
    ("lights: those of hidden nodes shine", "server/render/draw/model_lights.c", "(flags & NODE_HIDDEN) == 0)", "true)"),
    ("lights: a unit of the scene is a metre", "server/render/draw/model_lights.c", "scene_units / (double)model->infos[0].unit_m", "scene_units"),
    ("lights: places of nodes whose parents do not move them", "server/render/draw/model_lights.c",
     "dmat4_mul(view_from_scene, &posed->pose.scene_from_node[light->node])", "dmat4_mul(&posed->pose.scene_from_node[light->node], view_from_scene)"),
    ("lights: heavy meshes are gathered without them", "server/render/draw/draw_gathered.c", "(drawing->picture->flags & PICTURE_OWN_LIGHTS) == 0;", "true;"),
    ("lights: a cone without an edge is read", "server/import/gltf/gltf_lights.c", "light->inner_cone < light->outer_cone", "light->inner_cone <= light->outer_cone"),
    ("layers: lights shine through a coat undarkened", "shaders/layers.glsl", "light = light * kept + mirrored", "light = light + mirrored"),
    ("environment: the second band of the light is as wide as the first", "server/anim/light/environment.c", "2.0 / 3 : 0.25) / area", "2.0 / 3 : 0.5) / area"),
    ("environment: it turns the other way", "server/anim/light/panorama.c", "d[0] * panorama->cos_yaw - d[2] * panorama->sin_yaw",
     "d[0] * panorama->cos_yaw + d[2] * panorama->sin_yaw"),
    ("environment: rows of every file begin at the top", "server/import/environment/radiance_file.c", "*is_upward = is_good && at[0] == '+';", "*is_upward = false;"),
    ("tone: the veil over colours stays", "shaders/tone.glsl", "c = (c - under) * (1.0 + veil + veil * veil);", "c = c * (1.0 + veil + veil * veil);"),
    ("tone: light is below 0", "shaders/tone.glsl", "clamp(light * exposure, 0.0, 1e5)", "min(light * exposure, 1e5)", "true_colours_"),
    ("colours of vertices: bytes of sRGB are light", "server/import/polygons/polygon_mesh.c", "vertex_color_from_srgb(color[0]", "rgba16_of(color[0]"),
    ("STL: every facet of MeshLab has the colour of the header", "server/import/polygons/stl.c", "if (color == NULL || is_meshlab)", "if (color == NULL)"),
    ("companions: pointers of Git LFS are read", "server/import/source/source_files.c", "!format_is_lfs_pointer(file->bytes, file->size_bytes)", "true"),
    ("tone: the exposure does nothing", "shaders/tone.glsl", "clamp(light * exposure, 0.0, 1e5)", "clamp(light, 0.0, 1e5)"),
    ("rasterizer: a sample on a shared side belongs to both triangles", "server/render/gather/gather_raster.c", "dy < 0 || (dy == 0 && dx < 0)", "true"),
    ("rasterizer: normals stay on the side where the file has them", "server/render/gather/gather_fill.c",
     "side * four->values[NORMAL + i]", "four->values[NORMAL + i]"),
    ("rasterizer: vertices follow the first joint alone", "server/render/gather/gather_skin.c", "for (uint32_t i = first; i < end; i++)",
     "for (uint32_t i = first; i < first + 1; i++)"),
    ("MD2: the first frame is a target, too", "server/import/quake/md2_clip.c", "track.values[(size_t)k * width + first + k - 1] = 1;",
     "track.values[(size_t)k * width + first + k - (first > 0)] = 1;", "files of MD2"),
    ("BVH: the first channel is the innermost", "server/import/bvh/bvh_clip.c", "quat_mul(q, about, q);", "quat_mul(about, q, q);"),
    ("BVH: positions are added to the OFFSET", "server/import/bvh/bvh_clip.c", "out[channel - BVH_POSITION] = values[c];",
     "out[channel - BVH_POSITION] += values[c];"),
    ("BVH: a name ends at a blank", "server/import/bvh/bvh_text.c", "text->at < text->end && !is_line_end(*text->at)", "text->at < text->end && !is_space(*text->at)"),
    ("BVH: a frame time of 0 counts", "server/import/bvh/bvh_motion.c", "if (time_s > 0 && isnormal((float)time_s))", "if (time_s >= 0)"),
    ("OBJ: a negative index counts from the next vertex", "server/import/obj/obj_elements.c", "(uint64_t)((int64_t)count + index)", "(uint64_t)((int64_t)count + index + 1)"),
    ("OBJ: w divides", "server/import/obj/obj_elements.c", "    add_color(obj, count == 6 ? values + 3 : NULL);",
     "    for (int k = 0; count == 4 && k < 3; k++)\n        obj->points[obj->point_count - 1][k] /= values[3];\n    add_color(obj, count == 6 ? values + 3 : NULL);"),
    ("OBJ: a comment is continued", "server/import/obj/obj_text.c", "!is_comment && is_continued(text->at)", "is_continued(text->at)"),
    ("OBJ: a group comes back as another part", "server/import/obj/obj_elements.c", ".part = obj_names_add(&obj->parts, obj->object, obj->group)",
     ".part = obj_names_add(&obj->parts, obj->run_count, obj->group)"),
    ("OBJ: groups of smoothing do not count", "server/import/obj/obj_parts.c", "gathered->has_groups &= smoothing != OBJ_NONE;", "gathered->has_groups = false;"),
    ("MTL: options behind the file are its name", "server/import/obj/mtl_map.c", "    take_options_behind(&map->file, map);\n", ""),
    ("MTL: an offset moves v downwards", "server/import/obj/mtl_map.c", "1 - scale[1] - offset[1]}", "1 - scale[1] + offset[1]}"),
    ("MTL: libraries are read at each of their names", "server/import/obj/mtl.c", "< known)", "< known && path.length == 0)"),
    ("glTF: triangles of Draco meshes are not checked", "server/import/gltf/gltf_index.c", "return check_indices(reader, source, err); /*", "return 0; /*"),
    ("glTF: a mesh is moved twice", "server/import/gltf/gltf_claims.c", "    *own = claims->clip;\n    return true;\n}\n\nbool gltf_claims_next",
     "    return true;\n}\n\nbool gltf_claims_next"),
    ("properties: values beyond the limits are shown", "server/anim/pose/appearance.c", "out[i] < most ? out[i] : most", "out[i]"),
    ("properties: an emission forgets its strength", "server/anim/pose/appearance.c", "(float)(parts[0][i] * parts[1][0])", "(float)parts[0][i]"),
    ("properties: parts that do not move are lost", "server/import/gltf/gltf_properties.c", "    if (count == 0)\n        return 0;", "    return 0;"),
    ("properties: the last of two channels counts", "server/import/gltf/gltf_properties.c", "(x->reserved > y->reserved) - (x->reserved < y->reserved)",
     "(x->reserved < y->reserved) - (x->reserved > y->reserved)"),
    ("properties: layers without effect at rest are left out", "server/import/gltf/gltf_layers.c", "read_numbers(&of) || is_animated", "read_numbers(&of)"),
    ("DirectX: decimal commas are parted", "server/import/assimp/assimp_mend.c", "is_found |= commas == 1;", "is_found |= commas > 99;"),
    ("MTL: pictures lie beside the model", "server/import/obj/obj_material.c", "    if (map->folder[0] == '\\0' || is_absolute(map->file))", "    if (true)"),
    ("MTL: values before the first material are its own", "server/import/obj/mtl.c", "struct mtl_material *material = NULL;", "struct mtl_material *material = obj->library;"),
    ("Ogre: a key turns before the bone is bound", "server/import/ogre/ogre_clip.c",
     "quat_mul(bind->rotation, change->rotation, out);", "quat_mul(change->rotation, bind->rotation, out);"),
    ("Ogre: rotations go along the arc", "server/import/ogre/ogre_clip.c", "path == PATH_ROTATION && is_wide(&track)", "false"),
    ("Ogre: tracks hold behind their last key", "server/import/ogre/ogre_keys.c", "order->count > 1 && last < length_s && first >= 0", "false"),
    ("Ogre: big-endian files are read as others", "server/import/ogre/ogre_stream.c",
     "stream->is_big_endian = id == HEADER_ID_SWAPPED;", "stream->is_big_endian = false;"),
    ("FBX: rotation and scaling pivot swapped", FBX_TRANSFORM,
     "    subtract3(origin, values->rotation_pivot);", "    subtract3(origin, values->scaling_pivot);"),
    ("FBX: the post-rotation is not inverted", FBX_TRANSFORM, "set3(post, -post[0], -post[1], -post[2]);", "set3(post, post[0], post[1], post[2]);"),
    ("FBX: the pre-rotation takes the node's order", FBX_TRANSFORM,
     "fbx_quat_from_euler(values->pre_rotation_deg, FBX_ORDER_XYZ, pre);", "fbx_quat_from_euler(values->pre_rotation_deg, values->order, pre);"),
    ("FBX: segment scale compensation and scaling by axis exchanged", "server/import/fbx/fbx_node.c",
     "{NODE_SCALE_BY_AXIS, 0, NODE_SCALE_OWN}", "{NODE_SCALE_OWN, 0, NODE_SCALE_BY_AXIS}"),
    ("FBX: a scale that moves is undone as if it did not", "server/import/fbx/fbx_scales.c",
     "    if (!scaling->is_alike || value[0] != scaling->fixed)", "    if (!scaling->is_alike)"),
    ("FBX: RotationActive does not count", FBX_TRANSFORM, "values->is_rotation_space ? values->order : FBX_ORDER_XYZ", "values->order"),
    ("FBX: a texture is moved before it is turned", "server/import/fbx/fbx_texture.c",
     "    then(all, turn, turn_pivot);\n    then(all, move, ORIGIN);", "    then(all, move, ORIGIN);\n    then(all, turn, turn_pivot);"),
    ("FBX: a texture's layer without a name is the next one", "server/import/fbx/fbx_slots.c", "is_first ? 0 : place", "place"),
    ("3MF: a transform's rows are taken for columns", "server/import/threemf/threemf_scene.c",
     "matrix.m[4 * c + r] = (float)transform[3 * c + r];", "matrix.m[4 * c + r] = (float)transform[c < 3 ? 3 * r + c : 9 + r];"),
    ("3MF: layers cover by what is below them", "server/import/threemf/threemf_paint.c",
     "layer->color[i] * a + below->color[i] * (1 - a)", "layer->color[i] * (1 - a) + below->color[i] * a"),
    ("3MF: colours are taken as linear", "server/import/threemf/threemf_paint.c",
     "(double)linear_from_srgb((float)rgba[i] / 255)", "(double)((float)rgba[i] / 255)"),
    ("3MF: v downwards", "server/import/threemf/threemf_paint.c",
     "1 - threemf->texcoords[group->first + index][1]", "threemf->texcoords[group->first + index][1]"),
    ("3MF: the object's property wins over the triangle's", "server/import/threemf/threemf_paint.c",
     "has_own && triangle->pid != THREEMF_NONE ? triangle->pid : at->pid", "at->pid != THREEMF_NONE ? at->pid : triangle->pid"),
    ("FBX: glossiness is roughness", "server/import/fbx/fbx_shading.c", "out->is_gloss ? 1 - value : value", "value"),
    ("FBX: a texture that is switched off is shown", "server/import/fbx/fbx_shading.c", "LINKS[row].switch_name, 1) >= 0.5", "LINKS[row].switch_name, 1) >= 0"),
    ("FBX: a tangent's weight is ignored", FBX_TANGENT, "right->weight = (data->bits[2] & 0xffff) * WEIGHT_UNIT;", "right->weight = FBX_WEIGHT;"),
    ("FBX: the two packed weights swapped", FBX_TANGENT, "(data->bits[2] >> 16) * WEIGHT_UNIT", "(data->bits[2] & 0xffff) * WEIGHT_UNIT"),
    ("FBX: the bias of the left side has the right one's sign", FBX_TANGENT, "has_left_bias ? -key->left.slope : 0", "has_left_bias ? key->left.slope : 0"),
    ("FBX: continuity of a TCB key turned round", FBX_TANGENT,
     "(1 + bias) * (1 - continuity) * left.chord", "(1 + bias) * (1 + continuity) * left.chord"),
    ("FBX: progressive clamping looks at one side", FBX_TANGENT, "fmin(sign * slope, fmin(most_left, most_right))", "fmin(sign * slope, most_left)"),
    ("FBX: a repetition that mirrors begins as it is", FBX_PLACE, "extension.kind == FBX_EXTEND_MIRROR && fmod(index, 2) == 0",
     "extension.kind == FBX_EXTEND_MIRROR && fmod(index, 2) == 1"),
    ("FBX: relative repetitions rise by one range in all", FBX_PLACE, "side * (index + 1) * (last->value", "side * (last->value"),
    ("FBX: a count of repetitions is ignored", FBX_PLACE, "        *end = fmin(*end, extension.count);", "        *end = *end + 0;"),
    ("FBX: tangents without weights have a third", FBX_CURVE, "static const double E = 1.0 / 3 - FBX_WEIGHT;", "static const double E = 0;"),
    ("FBX: a layer turns before those below it", FBX_LAYER, "quat_mul(below, turned, below);", "quat_mul(turned, below, below);"),
    ("FBX: an overriding layer is mixed by its weight", FBX_LAYER, "sheet->is_base || sheet->layer.blend == FBX_LAYER_OVERRIDE;", "sheet->is_base;"),
    ("FBX: layers add scales", FBX_LAYER, "motion->blended == FBX_BLENDED_SCALING && !sheet->layer.adds_scales", "false"),
    ("FBX: muted layers play", FBX_TAKE, 'layer->is_off = is_on(scene, object, "Mute");', "layer->is_off = false;"),
    ("FBX: a pivot does not move what turns about it", FBX_NODE_CHANNELS, "return node->is_bent || property ==", "return property =="),
    ("FBX: corners of shapes in between are rounded", FBX_CLIP_WEIGHTS, "            add_corners(times, &keys, &weighing->motions[c], channel->full_percents[s]);",
     "            (void)channel->full_percents[s];"),
    ("FBX: a clip begins at the file's time 0", "server/import/fbx_take/fbx_curve_place.c",
     "return fmin(since_start_s, ticks / range->ticks_per_s - range->start / range->ticks_per_s);",
     "return fmax(since_start_s, ticks / range->ticks_per_s);"),
    ("FBX: a cluster's Transform ignored", "server/import/fbx/fbx_bind.c", "        return matrix;", "        return DMAT4_IDENTITY;"),
    ("FBX: shapes in between are skipped", "server/import/fbx/fbx_blend.c", "fulls[to] * step <= percent * step", "fulls[to] * step <= -1e9"),
    ("FBX: unit taken for metres", "server/import/fbx/fbx_axes.c", "rounded_unit(unit_cm / 100);", "rounded_unit(unit_cm / 1);"),
    ("textures are found as written only", SEARCH, "place <= last && rc == NOT_HERE", "place < PLACE_IN_ANY_CASE && place <= last && rc == NOT_HERE"),
    ("textures are found by bytes before the name as written", SEARCH, "part_bytes) == 0) != (pass == 0))", "part_bytes) == 0) == (pass == 0))"),
    ("KTX 2: a selector that is used moves to the front", "server/import/ktx2/etc1s_slice.c",
     "slice->history[index] = slice->history[index / 2];", "slice->history[index] = slice->history[index / 3];"),
    ("KTX 2: long runs have parts of six bits", "server/import/ktx2/etc1s_slice.c", "ktx2_bits_number(slice->bits, 7)", "ktx2_bits_number(slice->bits, 6)"),
    ("KTX 2: the endpoint above and to the left is the one above", "server/import/ktx2/etc1s_slice.c", "slice->endpoint = above[x - 1];", "slice->endpoint = above[x];"),
    ("KTX 2: bright channels have the table of dark ones", "server/import/ktx2/etc1s.c", "channels[c] <= 21", "channels[c] <= 22"),
    ("KTX 2: selectors are no differences", "server/import/ktx2/etc1s.c", "is_raw ? rows : selector ^ rows", "rows"),
    ("KTX 2: codes that are too few are a table", "server/import/ktx2/ktx2_bits.c", "left > 0 && used > 1", "false"),
    ("KTX 2: weights of UASTC end at 63", "server/import/ktx2/uastc.c", "weight > 32 ? weight + 1 : weight", "weight"),
    ("KTX 2: what zstd unpacks may be too little", "server/import/ktx2/ktx2.c", "if (got != size_bytes)", "if (got > size_bytes)"),
    ("FBX read by assimp under another ending", "server/import/assimp/assimp_io.c", " is_fbx(from.bytes, from.size_bytes) ||", " (is_fbx(from.bytes, from.size_bytes) && from.size_bytes == 0) ||"),
    ("STL: colours of Magics taken for those of VisCAM", "server/import/polygons/stl.c", "out[0] = is_red_low ? low : high;", "out[0] = high;"),
    ("normals of no direction stay", "server/import/mesh/mesh_arrays.c", "DOUBLE3(*v)) > 1e-24", "DOUBLE3(*v)) >= 0"),
    ("PLY: pictures stand on their heads", "server/import/polygons/polygon_mesh.c", "(float)(1 - uv[1])", "(float)uv[1]"),
    ("PLY: colours of all types are bytes", "server/import/polygons/ply_value.c", "    return LARGEST[type];", "    return LARGEST[type] > 0 ? 255 : 0;"),
    ("compiled clips take the chord instead of the arc", SCALAR, "wa = sine(1 - u, square), wb = sine(u, square)", "wa = 1 - u, wb = u + 0 * square"),
    ("compiled clips: one kernel adds in another order", VECTORS, "(S[0] + S[1] * y) + y2 * ((S[2] + S[3] * y) + S[4] * y2)", "S[0] + (S[1] * y + y2 * ((S[2] + S[3] * y) + S[4] * y2))"),
    ("compiled clips: one sign of a rotation", ROTATION, "m[1] = xy - wz;", "m[1] = xy + wz;"),
    ("compiled clips: parent and child swapped", ROWS, "rows_multiply(rig->matrices + KERNEL_MATRIX * parent, own)", "rows_multiply(own, rig->matrices + KERNEL_MATRIX * parent)"),
    ("compiled clips: STEP moves", PLAN, "[INTERPOLATION_STEP] = MOTION_MOVES | MOTION_HOLDS", "[INTERPOLATION_STEP] = MOTION_MOVES"),
    ("compiled clips: splines turn at their keys", FRAMES, "(float)(u * rest * rest * pair->distance_s)", "(float)(u * rest * rest * 0)"),
    ("compiled clips go the long way", CLIP_LANES, "dot < 0 ? -track->sign", "dot < -2 ? -track->sign"),
    ("compiled clips begin a frame late", FRAMES, "(struct frame_pair){f, f + 1, (time_s", "(struct frame_pair){f + 1, f + 1, (time_s"),
    ("compiled clips with their root motion", "server/anim/entity/entity.c", "    if (entity->motion != NULL)\n        entity_chain_still(work);", "    (void)entity_chain_still;"),
    ("crowds: clips with products in double precision share a group", "server/anim/compiled/clip_group_alike.c",
     "COMPILED_F64_ANY) == 0", "COMPILED_F64) == 0"),
    ("compiled clips: matrices of double precision are made in float", "server/anim/kernel/kernel_ways.h",
     "all_blocks(lanes, LANES_TO_ROUNDED)", "all_blocks(lanes, LANES_TO_MATRICES)"),
    ("crowds: all lanes have the weight of the first", GROUP, "weight_of(call->members[i].plan, layer_index)", "weight_of(call->members[0].plan, layer_index)"),
    ("crowds: the still nodes of another clip stay", GROUP, "is_held = *held == clip;", "is_held = *held != NULL;"),
    ("crowds: nodes given by a matrix have it always", GROUP, "for (size_t e = 0; e < 12 && !is_moved; e++)", "for (size_t e = 0; e < 12; e++)"),
    ("crowds: masks are forgotten", MIX, " & -(int32_t)layer->is_moved[node]", " & -(int32_t)(layer->is_moved[node] | 1)"),
    ("crowds: lanes add in another order", GROUP_LANES, "(x * b[c] + y * b[4 + c]) + (z * b[8 + c] + (c == 3 ? w : (VF){0}))", "x * b[c] + (y * b[4 + c] + (z * b[8 + c] + (c == 3 ? w : (VF){0})))"),
    ("crowds: who is beyond the limits is answered", GROUP, "faults |= palette->kernel->compose_group(&of);", "faults = palette->kernel->compose_group(&of);"),
    ("crowds: what is not finite in the world is answered", CROWD, "if (!floats_are_finite(moved, (uint64_t)joints * floats))", "if (moved == NULL)"),
    ("compiled clips that were not measured", COMPILE, "if (!(errors[way] <= ERROR_MAX))", "if (errors[way] < 0)"),
    ("slerp goes the long way", MAT, "const double sign = dot < 0 ? -1 : 1;", "const double sign = dot < -2 ? -1 : 1;"),
    ("slerp is a straight line", MAT, "const bool is_chord = sine < 1e-8;", "const bool is_chord = sine < 2;"),
    ("cubic tangents not scaled by the key distance", SAMPLE,
     "tangent_a = distance_s * (u3 - 2 * u2 + u)", "tangent_a = 0 * distance_s + (u3 - 2 * u2 + u)"),
    ("cubic reads the wrong tangent", SAMPLE, "tangent_a * (double)a[2 * n + i]", "tangent_a * (double)a[i]"),
    ("cubic rotation not normalised", SAMPLE,
     "tangent_b * (double)b[i];\n    if (channel->path == PATH_ROTATION)", "tangent_b * (double)b[i];\n    if (channel->path == PATH_COUNT_MUTANT)"),
    ("STEP keeps the old value at a key", SAMPLE, "if (times[middle] <= time_s)", "if (times[middle] < time_s)"),
    ("STEP read as LINEAR", SAMPLE, " || channel->interpolation == INTERPOLATION_STEP)", ")"),
    ("an animated channel set loses the node's other parts", POSE,
     "pose->local[n] = pose_rest_transform(&model->nodes[n]);", "pose->local[n] = (struct trs){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};"),
    ("only four influences", INFLUENCE, "for (uint32_t set = 0; set < source->set_count; set++) {\n        uint32_t joint[4];",
     "for (uint32_t set = 0; set < 1; set++) {\n        uint32_t joint[4];"),
    ("weights not renormalised", INFLUENCES, "(float)(weights[i].weight / sum)", "(float)(weights[i].weight + 0 * sum)"),
    ("old rule for normalized integers", ACCESSOR, "fmax((int16_t)get_u16(bytes) / 32767.0, -1.0)",
     "(2.0 * (int16_t)get_u16(bytes) + 1.0) / 65535.0"),
    ("morph weights not applied", MORPH, "weights[t] * (double)delta->x;", "(double)delta->x;"),
    ("morph targets of some vertices are those of the first ones", MORPH, "block->places != NULL ? block->places[i] : block->first + i", "block->first + i"),
    ("morph targets without positions are charged", MORPH, "weights[t] != 0 && targets[t].position_first != UINT32_MAX", "weights[t] != 0"),
    ("skinning ignores the weight", SKIN, "(double)influence->weight * (double)m[e]", "(double)m[e] / count"),
    ("dual quaternions summed with the signs that they have", DUAL, "dot4(part->real, first->real) < 0 ? -weight", "dot4(part->real, first->real) < -9 ? -weight"),
    ("dual quaternions: moved before they are turned", DUAL, "quat_mul(half, out->real, out->dual);", "quat_mul(out->real, half, out->dual);"),
    ("blended skins the other way round", SKIN, "(1 - dual_weight) * blended[e] / total + dual_weight * dual.m[e]", "dual_weight * blended[e] / total + (1 - dual_weight) * dual.m[e]"),
    ("COLLADA tangents dropped", CURVE, "if (sampler->kinds[key] == CURVE_BEZIER)\n        return bezier(", "if (sampler->kinds[key] > CURVE_BEZIER)\n        return bezier("),
    ("COLLADA: the bind shape matrix is left out", "server/import/collada_model/collada_skin.c", "product = dmat4_mul(&bind, shape)", "product = dmat4_mul(&bind, &DMAT4_IDENTITY)"),
    ("COLLADA: targets of a NORMALIZED morph taken for offsets", "server/import/collada_model/collada_primitive.c",
     "reader->morph.is_relative ? moved[i] : moved[i] - base[i]", "moved[i]"),
    ("COLLADA: every second triangle of a strip turns like the others", "server/import/collada_mesh/collada_faces.c",
     "const uint32_t odd = i % 2, at = first + i;", "const uint32_t odd = 0, at = first + i;"),
    ("COLLADA: params without a name are read", "server/import/collada/collada_values.c", "if (name != NULL && name[0] != '\\0' && count < limit)", "if (count < limit)"),
    ("COLLADA: joints are sought in the scene before the skeleton", "server/import/collada_model/collada_skin.c",
     "found = find_in(model, search->roots[r], collada_node_end(model, search->roots[r]), ATTRIBUTES[a], name);", "found = find_in(model, 1, model->collada.node_count, ATTRIBUTES[a], name);"),
    ("COLLADA: an index of -1 means the first joint", "server/import/collada_mesh/collada_weights.c",
     "joint == INDEX_NONE ? shape_joint", "joint == INDEX_NONE ? 0"),
    ("COLLADA matrix elements by row, then column", TARGET, "(int32_t)(first + 4 * second)", "(int32_t)(4 * first + second)"),
    ("channels looked up by name", ANIM, "source->channel.node = (uint32_t)target->node;",
     "source->channel.node = (uint32_t)target->node;\n    const struct bake_builder *builder = gltf->builder;\n"
     "    const uint32_t node = source->channel.node;\n    for (uint32_t n = node; n-- > 0;)\n"
     "        if (builder->nodes[n].name.size_bytes == builder->nodes[node].name.size_bytes &&\n"
     "            builder->nodes[n].name.offset != STR_NONE && builder->nodes[n].mesh < 0 && builder->nodes[node].mesh < 0)\n"
     "            source->channel.node = n;"),
    ("sparse indices not followed", ACCESSOR, "(uint64_t)i * accessor->sparse_bytes", "(uint64_t)i * accessor->sparse_bytes * 0"),
    ("axes left as assimp turns them", AXES, "    *root = DMAT4_IDENTITY;", "    (void)root;"),
    ("up and forward exchanged", AXES, "info->up[c] = (float)(m[4 * c + 1] / unit);", "info->up[c] = (float)(m[4 * c + 2] / unit);"),
    ("MS3D: moves not turned", CLIP, "        turn_ms3d_moves(job, n, &motion);", "        (void)n;"),
    ("B3D: vertices taken for scene space", "server/import/assimp/assimp_skin.c", "offset = dmat4_mul(&offset, &scene);", "(void)scene;"),
    ("MD5: clips beside the mesh not read", "server/import/assimp/assimp.c", 'assimp_is_format(job, "md5mesh") ? assimp_md5_clips(job, err) : 0', "0"),
    ("MD5: always 24 frames a second", MD5, "return isfinite(rate) && rate > 0 ? rate : 0;", "return isfinite(rate) ? 0 : rate;"),
    ("warnings of curves lost", LOSSES, "is_curved |= keys++ > 0 && first != 3;", "is_curved |= keys++ > 1000 && first != 3;"),
    ("a pipelined request overtakes the call before it", CONN_IO,
     "return conn->state <= CONN_READING && !conn->is_last", "return conn->state <= CONN_CALLING && !conn->is_last"),
    ("what follows the last reply is answered", CONN_IO, "return conn->state <= CONN_READING && !conn->is_last &&",
     "return conn->state <= CONN_READING &&"),
    ("the call of a client that is gone goes on", CONN, "    if (is_calling)\n        dispatcher_cancel(", "    if (!is_calling)\n        dispatcher_cancel("),
    ("any byte read counts as progress of a slow reader", CONN_TIME,
     "unacked_bytes(conn) + conn_progress_bytes(conn) <= conn->write_mark", "unacked_bytes(conn) <= conn->write_mark"),
    ("a connection without a request stays for the idle time", CONN_TIME,
     "return kind == TIMEOUT_IDLE && !conn->has_answered ? TIMEOUT_FIRST : kind;", "return kind;"),
    ("checks: a foot turns about its ankle alone", CONTACTS, "share = length > 0 ? fmin(", "share = length < 0 ? fmin(", CHECKS),
    ("checks: a foot slides where it lands", CONTACTS, "(uint32_t)ceil(END_S / steps->frame_s)", "(uint32_t)ceil(0 * END_S)", CHECKS),
    ("checks: the ground never moves", CONTACTS, "speed[1]) < GROUND_SLOW)", "speed[1]) < 1e9 * GROUND_SLOW)", CHECKS),
    ("checks: the ground is the lowest place of a foot", FEET, "GROUND_SHARE * (steps->count - 1)", "0 * GROUND_SHARE * (steps->count - 1)", CHECKS),
    ("checks: every step down is through the floor", HEIGHTS, "most > THROUGH && most <= deepest", "most > THROUGH", CHECKS),
    ("checks: a foot that leaves the ground for a frame flies", HEIGHTS, "since * steps->frame_s >= OFF_S", "since > 0", CHECKS),
    ("checks: a leg that stands beside one that stands is frozen", LEGS, "still_deg >= STILL_DEG || moving_deg < MOVES_DEG", "still_deg >= STILL_DEG", CHECKS),
    ("checks: a walk that travels jumps at its end", LOOP, "if (rc == 0 && has_root)", "if (rc == 0 && has_root && jump == NULL)", CHECKS),
    ("checks: a jump is the fault of what jumps", LOOP, "if (moved > most) {\n            most = moved;\n            culprit", "if (moved > 1e30) {\n            most = moved;\n            culprit", CHECKS),
    ("checks: a blow pops", KEYS, "dot3(there->axis, back->axis) > OPPOSITE ||", "(dot3(there->axis, back->axis) > OPPOSITE && least < 0) ||", CHECKS),
    ("checks: a joint that rests while all do is frozen", KEYS, "*is_moving = moving >= OTHERS_LEAST && moving > OTHERS_SHARE * animated;", "*is_moving = true;", CHECKS),
    ("bends: tubes are open at their ends", ZONE, "+= edge->count * determinant3(a, b, c) / 6;", "+= 0 * edge->count * determinant3(a, b, c) / 6;", BENDS),
    ("bends: triangles that turn with the joint turn over", ZONE, "share >= 1.5F ? scene_from_rest", "share >= 9 ? scene_from_rest", BENDS),
    ("bends: nothing collapses", ZONE, "<= COLLAPSE * sqrt(dot3(rigid, rigid))", "< 0 * COLLAPSE * sqrt(dot3(rigid, rigid))", BENDS),
    ("bends: seams of a texture are edges", FLEX_SURFACE, "surface->places[points[i].entry] = points[first].entry;", "surface->places[points[i].entry] = points[i].entry;", BENDS),
    ("bends: a joint twists as far as it bends", FLEX_JOINTS, "== joint->long_axis ? joint->twist_most_deg : joint->bend_most_deg", "== joint->long_axis ? joint->bend_most_deg : joint->bend_most_deg", BENDS),
    ("bends: joints stay turned", FLEX_POSE, "flex->pose.local[node] = pose_rest_transform(&flex->model->nodes[node]);", "(void)pose_rest_transform;", BENDS),
    ("bends: a vertex is a stray however small it is out of place", STRAYS, "!(distance > VISIBLE) ||", "!(distance > 0 * VISIBLE) ||", BENDS),
    ("root motion: heights are taken out, too", ROOT_MOTION, "column[r] - height * up[r];", "column[r] - 0 * height * up[r];", ROOTS),
    ("root motion: tangents are places", ROOT_MOTION, "rows > 1 && i % rows != 1;", "rows > 99 && i % rows != 1;", ROOTS),
    ("root motion: the node above has the space of the mover", ROOT_MOTION, "apply(mover->above_from_ground, ground, gained);", "apply(mover->local_from_ground, ground, gained);", ROOTS),
    ("root motion: the node above begins at 0", ROOT_MOTION, "(is_tangent ? 0 : mover->above_start[a])", "(is_tangent ? 0 : 0 * mover->above_start[a])", ROOTS),
    ("root motion: what moves above is not looked at", ROOT_MOTION, "if (e->root.moves[n] != 0)", "if (e->root.moves[n] > 9)", ROOTS),
    ("root motion: hips below a root that stands keep theirs", ROOT_MOTION, "? e->root.hips : -1;", "? -1 : -1;", ROOTS),
    ("VRM 0: textures move from below", VRM_0, "1 - st[3] - st[1]", "st[3]", VRM),
    ("VRM 0: weights are shares", VRM_0, 'vrm_number(bind, "weight", 100) / 100', 'vrm_number(bind, "weight", 100)', VRM),
    ("VRM 0: one node shows a mesh", VRM_0, "vrm_add_morph(vrm, binds, node, index, vrm_number(bind", "if (used == 0) vrm_add_morph(vrm, binds, node, index, vrm_number(bind", VRM),
    ("VRM: custom expressions come before presets", EXPRESSIONS, "(one < other) - (one > other)", "(one > other) - (one < other)", VRM),
    ("VRM 0: faces as glTF does", source("vrm.c"), "vrm.kind == VRM_0)", "vrm.kind == VRM_ANIMATION)", VRM),
    ("VRM: gaze: z of Unity", source("vrm_gaze.c"), '-vrm_number(offset, "z", 0)', 'vrm_number(offset, "z", 0)', VRM),
    ("VRM: an expression blocks the mouth in place of the eyes", EXPRESSIONS, '"overrideBlink"', '"overrideMouth"', VRM),
    ("rests: the first frame that stands is as good as a better one", REST, "stance.score > seen->best_score + MARGIN", "stance.score > seen->best_score + 99 * MARGIN", RESTS),
    ("rests: a rest that floats stays there", REST, "reference->lowering = find_lowering(rig, seen);", "reference->lowering = 0 * find_lowering(rig, seen);", RESTS),
    ("rests: a rest that lies is one that stands", REST, "const bool laid = stance->stands && is_laid(rig, seen);", "const bool laid = stance->stands && is_laid(rig, seen) && stance->score < 0;", RESTS),
    ("rests: knees may be bent as far as they go", REST, "along > LEG_ALONG && stretch > LEG_STRETCH", "along > LEG_ALONG", RESTS),
    ("rests: legs may stretch forwards", REST, "along > LEG_ALONG && stretch > LEG_STRETCH", "stretch > LEG_STRETCH", RESTS),
    ("constraints: a roll forgets how its source rests", CONSTRAINT, "turn_outside(turn, source_rest, turn);", "(void)source_rest;", CONSTRAINTS),
    ("constraints: a roll keeps the turn of its axis", CONSTRAINT, "twist[axis] = turn[axis];", "memcpy(twist, turn, sizeof twist);", CONSTRAINTS),
    ("constraints: an aim is one in its parent's space", CONSTRAINT, "turn_vector(scene_from_parent, from, from);", "turn_vector(NO_TURN, from, from);", CONSTRAINTS),
    ("constraints: an aim at where the source was", CONSTRAINT, "compose_chain(pose, model, model->nodes[at->source].parent);", "compose_chain(pose, model, -1);", CONSTRAINTS),
    ("constraints: negative axes are positive", CONSTRAINT, "at->axis < AXIS_ROLL_COUNT ? 1 : -1", "at->axis < AXIS_COUNT ? 1 : -1", CONSTRAINTS),
    ("constraints: a weight leads from the whole to the rest", CONSTRAINT, "(double)at->weight, rotation", "1 - (double)at->weight, rotation", CONSTRAINTS),
    ("constraints: aims do not wait for what moves them", CONSTRAINT_ORDER, "return scene_of_parent(search, edge == 0 ? node : at->source);", "return NO_VERTEX;", CONSTRAINTS),
    ("constraints: clips are compiled without them", COMPILE, "builder->constraint_count > 0 || ", "", CONSTRAINTS),
    ("given poses: a frame holds until the next one", GIVEN_POSE, "moment.u = (time_s - given->times_s[low])", "moment.u = 0 * (time_s - given->times_s[low])", POSES),
    ("given poses: an additive one turns as if its weight were 1", TRS_MIX, "quat_slerp(NO_ROTATION, whole, weight, part);", "quat_slerp(NO_ROTATION, whole, 1, part);", POSES),
    ("given poses: an additive morph weight forgets its rest", GIVE, "(given - (double)model->weights[of->weight]);", "given;", POSES),
    ("given poses: masks do not reach morph weights", GIVE, "if (give->is_moved == NULL || give->is_moved[given->weights[i].node] != 0)", "if (true)", POSES),
    ("given poses: the weight of a layer does not reach its look", GIVE, "trs_replace(&turned, GIVEN_ROTATION, give->weight,", "trs_replace(&turned, GIVEN_ROTATION, 1,", LOOKS),
    ("given poses: what layers below made of a scale is forgotten", GIVE_ROWS, "for (uint32_t l = 0; l < count; l++) {\n        const struct given_pose *given = layers[l].given;", "for (uint32_t l = count; l < count; l++) {\n        const struct given_pose *given = layers[l].given;", POSES),
    ("given poses: the second replaces the first", GIVE_ROWS, "first = give_covers(&layers[i]) ? i : first;", "first = layers[i].given != NULL ? i : first;", POSES),
    ("given poses: an additive clip behind one is played before it", ENTITY_GIVEN, "if (layer->given == NULL && has_given && layer->is_additive)", "if (false)", POSES),
    ("given poses: compiled evaluation forgets masks", ENTITY_GIVEN, " || layer->mask_count > 0)", ")", POSES),
    ("given poses: scales that clips move are taken for those at rest", ENTITY_GIVEN, "lets = at < given->node_count &&", "lets = at > given->node_count &&", POSES),
    ("given poses: a single frame lasts until its time", REQUEST_GIVEN, "if (given->frame_count == 1)", "if (given->frame_count == 0)", "request_given"),
    ("given poses: a role comes before a name", GIVEN_RESOLVE, "node->kind == SELECT_NAME && resolving->times[i] == 0", "node->kind == SELECT_NAME", POSES),
    ("given poses: expressions move what is given itself", GIVEN_WEIGHTS, "if (weights->items[place].asked < 0)", "if (true)", POSES),
    ("given poses: a look moves what is given itself", GIVEN_LOOKS, "return weights->items[place].asked < 0;", "return weights->items[place].asked < 4;", LOOKS),
    ("given poses: degrees turn in the other order", source("given_rotation.c"), "ROTATION_ORDERS[order][i]", "ROTATION_ORDERS[order][2 - i]", POSES),
    ("given poses: a sheared node of binary frames is given", source("request_given_binary.c"), "if (is_sheared[n] == 0 && (", "if (is_sheared[n] < 2 && (", POSES),
]

# Words in the names of the unit tests about a file, which run first. The longest matching beginning of its path counts. They only save
# time: if they do not find a mistake, all tests run.
WORDS = {
    "server/anim/bake": "bake_", "server/anim/compiled": "clip_", "server/anim/compiled/clip_group": "crowd_", "server/anim/entity": "crowd_",
    "server/anim/kernel": "kernel_", "server/anim/kernel/kernel_group": "crowd_", "server/anim/kernel/kernel_mix": "crowd_",
    "server/anim/kernel/kernel_rows": "clip_", "server/anim/light": "environment_", "server/anim/model/mat": "mat_", "server/anim/pose": "pose_",
    "server/anim/pose/sample": "sample_", "server/anim/pose/scale": "scale_", "server/anim/pose/skin": "skin_",
    "server/anim/pose/skin_dual": "dualquat_", "server/anim/pose/skin_morph": "skin_", "server/anim/retarget": "retarget_", "server/anim/retarget/planted": "planted_", "server/import/bvh": "bvh_", "server/import/obj": "obj_", "server/import/obj/mtl": "mtl_",
    "server/import/obj/obj_material": "mtl_",
    "server/daemon/conn": "conn_", "server/import/assimp": "assimp_", "server/import/collada": "collada_", "server/import/environment": "radiance_",
    "server/import/fbx": "fbx_", "server/import/gltf": "gltf_", "server/import/ktx2": "ktx2_", "server/import/ogre": "ogre_",
    "server/import/polygons/ply": "ply_",
    "server/import/polygons": "ply_", "server/import/polygons/stl": "stl_", "server/import/quake": "md2_", "server/import/source": "source_",
    "server/import/threemf": "threemf_", "server/render/draw": "model_lights_", "server/render/gather": "gather_", "shaders/layers": "shading_",
    "shaders/lights": "model_lights_", "shaders/tone": "renderer_",
}


class Run:
    """The copies that work on one queue of mistakes."""

    def __init__(self, copies):
        self.copies, self.mistakes, self.printing, self.wrong = copies, queue.Queue(), threading.Lock(), []
        self.totals = {"caught": 0, "MISSED": 0, "STALE": 0}

    def side_by_side(self, work):
        """Run work(copy) in each copy. An exception is kept, and the others finish."""

        def one(copy):
            try:
                work(copy)
            except Exception as fault:
                self.wrong.append(f"{type(fault).__name__}: {fault}")

        threads = [threading.Thread(target=one, args=(copy,)) for copy in self.copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.wrong:
            sys.exit("mutations: " + "\n".join(self.wrong))

    def without_mistake(self, suites):
        """All tests must pass first. Each suite runs in a free copy."""

        def work(copy):
            assert copy.build("build/test/unit", *PROGRAMS), f"the copy does not build: {copy.text()[-2000:]}"
            while not self.wrong:
                try:
                    name = suites.get_nowait()
                except queue.Empty:
                    return
                ended = copy.unit() if name == UNIT else copy.api(name)
                assert ended is None, f"without any mistake: {name}: {ended}: {copy.text()[-2000:]}"

        self.side_by_side(work)

    def report(self, kind, title, text, start):
        with self.printing:
            self.totals[kind] += 1
            print(f"{kind:7} {title}: {text} ({time.monotonic() - start:.0f} s)", flush=True)

    def make_mistakes(self, copy):
        while not self.wrong:
            try:
                title, path, code, mistake, *first = self.mistakes.get_nowait()
            except queue.Empty:
                return
            start, original = time.monotonic(), (copy.folder / path).read_text(encoding="utf-8")
            if original.count(code) != 1:
                self.report("STALE", title, f"its code is not in {path} exactly once", start)
                continue
            (copy.folder / path).write_text(original.replace(code, mistake.replace("PATH_COUNT_MUTANT", "99u")), encoding="utf-8")
            caught, text = copy.tried(*(first or (words_of(path),)))
            (copy.folder / path).write_text(original, encoding="utf-8")
            self.report("caught" if caught else "MISSED", title, text, start)


def words_of(path):
    return WORDS[max((key for key in WORDS if path.startswith(key)), key=len)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=os.cpu_count())
    parser.add_argument("word", nargs="?", default="")
    options = parser.parse_args()
    start = time.monotonic()
    rows = [row for row in MUTATIONS if options.word in row[0]]
    with tempfile.TemporaryDirectory(prefix="posed-mutations-") as folder:
        run = Run([Copy(pathlib.Path(folder) / str(i)) for i in range(max(1, min(options.copies, len(rows))))])
        for copy in run.copies:
            copy.fill()
        suites = queue.Queue()
        for name in (UNIT, *API):
            suites.put(name)
        run.without_mistake(suites)
        for row in rows:
            run.mistakes.put(row)
        run.side_by_side(run.make_mistakes)
        processor_s = sum(copy.processor_s for copy in run.copies)
    totals = run.totals
    print(f"{totals['caught']} caught, {totals['MISSED']} missed, {totals['STALE']} stale, in {time.monotonic() - start:.0f} s, "
          f"of the processors {processor_s:.0f} s")
    return 1 if totals["MISSED"] or totals["STALE"] or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
