// The GLB files of /v1/export, opened by independent programs: Khronos' validator, and three.js in Node. VRM files moved by .vrma files,
// compared with three-vrm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import validator from 'gltf-validator';
import { SAMPLES, startServer, temporaryFolder } from './posed.mjs';
import { constrainedAt, givenAt, load, materialsOf, posesAt, verticesAt, vrmAt } from './three_glb.mjs';

const OWN = path.join(path.dirname(fileURLToPath(import.meta.url)), '../oracle/models');
const NAMES = ['dragon.glb', 'octopus.glb', 'robot.glb', 'curves.fbx', 'layers.fbx', 'pivots.fbx', 'lever.dae', 'turned.bvh', 'guard.md5mesh', 'crane.x', 'kept.gltf', 'rich.gltf'];
const EXPORT = path.join(path.dirname(fileURLToPath(import.meta.url)), '../api/export');
const KEPT = ['kept.gltf', 'rich.gltf']; // several scenes, extras, markers, TEXCOORD_1, colours and parts of VRM
const TOLERANCE = 2e-6; // of the model's size
const SHARES = [0, 0.123, 0.41, 0.77, 1]; // of a clip

let root, server;

before(async () => {
  root = temporaryFolder();
  for (const folder of [SAMPLES, OWN]) {
    for (const name of fs.readdirSync(folder).filter((one) => /\.[a-z0-9]+$/.test(one))) fs.copyFileSync(path.join(folder, name), path.join(root, name));
  }
  for (const name of KEPT) fs.copyFileSync(path.join(EXPORT, name), path.join(root, name));
  execFileSync('/usr/bin/python3', [path.join(path.dirname(fileURLToPath(import.meta.url)), '../api/formats/vrm_files.py'), root]);
  execFileSync('/usr/bin/python3', [path.join(path.dirname(fileURLToPath(import.meta.url)), '../api/formats/constraint_files.py'), root]);
  execFileSync('/usr/bin/python3', [path.join(path.dirname(fileURLToPath(import.meta.url)), '../api/formats/vrm_avatar.py'), root]);
  server = await startServer(root, '--render-workers', '0');
});

after(async () => {
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

const ask = async (target, options) => {
  const answer = await fetch(server.url + target, options);
  const body = await answer.json();
  assert.equal(answer.status, 200, target + ' ' + JSON.stringify(body));
  return body;
};

async function convert(query) {
  const answer = await fetch(`${server.url}/v1/export?format=glb&model=${query}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.equal(answer.status, 200, query + ' ' + new TextDecoder().decode(bytes.slice(0, 300)));
  return bytes;
}

// What posed only carries has the numbers of the file that it makes, whatever else the file has.
for (const query of ['', '&up=z', '&unit=cm', '&subtree=bone&clips=-', '&subtree=body&clips=-', '&compress=meshopt', '&compress=draco', '&textures=none', '&optimize=1', '&optimize=1&compress=none']) {
  test(`the validator finds nothing wrong in rich.gltf, converted with '${query}'`, async () => {
    const { issues } = await validator.validateBytes(await convert('rich.gltf' + query), { maxIssues: 20 });
    assert.deepEqual(issues.messages.filter(({ severity }) => severity <= 1), []);
  });
}

function farthest(one, other) {
  assert.equal(one.length, other.length);
  return one.reduce((most, matrix, i) => matrix.reduce((worst, x, k) => Math.max(worst, Math.abs(x - other[i][k])), most), 0);
}

for (const name of NAMES) {
  test(`the validator finds no error in ${name}, converted`, async () => {
    const { issues } = await validator.validateBytes(await convert(name), { maxIssues: 20 });
    assert.deepEqual(issues.messages.filter(({ severity }) => severity === 0), []);
  });

  test(`three.js has the poses of ${name}`, async () => {
    const { clips } = await ask('/v1/model?model=' + name);
    const model = await load(await convert(name));
    assert.equal(model.animations.length, clips.length);
    for (const { index, duration } of clips) {
      const times = SHARES.map((share) => share * duration);
      const query = `model=${name}&clip=${index}&wrap=clamp&t=${times.join()}`;
      const pose = await ask('/v1/pose?' + query), palette = await ask('/v1/palette?' + query);
      const size = Math.max(...pose.frames.flatMap(({ scene }) => scene.flatMap((matrix) => matrix.map(Math.abs))));
      posesAt(model, index, times).forEach((theirs, f) => {
        const nodes = Object.keys(theirs.nodes).map(Number);
        assert.deepEqual(nodes.map((n) => model.names[n]), nodes.map((n) => pose.nodes[n]?.name ?? undefined), 'the nodes are the file\'s');
        assert.ok(farthest(nodes.map((n) => theirs.nodes[n]), nodes.map((n) => pose.frames[f].scene[n])) <= TOLERANCE * size);
        for (const [skin, matrices] of Object.entries(theirs.palettes)) {
          assert.ok(farthest(matrices, palette.frames[f].palettes[skin]) <= TOLERANCE * Math.max(size, ...matrices.flat().map(Math.abs)));
        }
      });
    }
  });
}

// What a scene says beyond its poses: names and extras of its nodes in their order, and of their materials; texture coordinates and colours.
function saidIn(scene) {
  const found = [];
  scene.traverse(({ name, userData, geometry, material, isMesh }) => {
    const numbers = (attribute) => attribute && Array.from({ length: attribute.count * attribute.itemSize },
      (_, i) => attribute.getComponent(Math.floor(i / attribute.itemSize), i % attribute.itemSize));
    const { uv, uv1, color } = isMesh ? geometry.attributes : {};
    found.push([name, userData, material?.name, material?.userData, numbers(uv), numbers(uv1), numbers(color)?.map((one) => Math.round(one * 255))]); // bytes are enough to the eye
  });
  return found;
}

// Extras that posed adds are none of the source's.
const withoutOwn = ({ scenes }) => scenes.map((scene) => [scene.name, scene.userData, saidIn(scene).slice(1)]);

for (const name of KEPT) {
  for (const query of ['', '&compress=meshopt']) {
    test(`three.js has the poses and all that is kept of ${name}, converted with '${query}', as of the original`, async () => {
      const original = await load(fs.readFileSync(path.join(root, name))), model = await load(await convert(name + query));
      assert.ok(original.scenes.length > 1);
      assert.deepEqual(withoutOwn(model), withoutOwn(original));
      for (const [i, { extras }] of (original.json.animations ?? []).entries()) assert.deepEqual(model.json.animations[i].extras, extras);
      assert.deepEqual(model.json.extensions.VRMC_springBone, original.json.extensions.VRMC_springBone);
      assert.deepEqual(model.json.extensions.VRMC_vrm.humanoid, original.json.extensions.VRMC_vrm.humanoid);
      for (const clip of [null, ...original.animations.keys()]) {
        const times = SHARES.map((share) => share * (clip === null ? 0 : original.animations[clip].duration));
        const [were, are] = [original, model].map((one) => posesAt(one, clip, times)), [points, moved] = [original, model].map((one) => verticesAt(one, clip, times));
        const size = Math.max(...points.flat(2).map(Math.abs));
        were.forEach((pose, f) => {
          assert.ok(Object.keys(pose.nodes).length > 3);
          assert.deepEqual(Object.keys(are[f].nodes), Object.keys(pose.nodes));
          assert.ok(farthest(Object.values(are[f].nodes), Object.values(pose.nodes)) <= TOLERANCE * size, `clip ${clip}`);
          for (const skin of Object.keys(pose.palettes)) assert.ok(farthest(are[f].palettes[skin], pose.palettes[skin]) <= TOLERANCE * size);
          assert.deepEqual(are[f].weights, pose.weights);
          assert.ok(points[f].length > 0 && farthest(moved[f], points[f]) <= TOLERANCE * size);
        });
      }
    });
  }
}

// Every array of the scene, by its owner: attributes, morph targets, triangles from their first corner on.
function arraysOf({ scene, animations }) {
  const found = [];
  const turned = ([a, b, c]) => (a < b && a < c ? [a, b, c] : b < c ? [b, c, a] : [c, a, b]);
  scene.traverse(({ geometry, isMesh }) => {
    if (!geometry) return;
    for (const [name, { array }] of Object.entries(geometry.attributes)) found.push([name, Array.from(array)]);
    for (const [name, targets] of Object.entries(geometry.morphAttributes)) targets.forEach(({ array }) => found.push([name, Array.from(array)]));
    const indices = Array.from(geometry.index.array);
    found.push(['indices', isMesh ? indices.flatMap((_, i) => (i % 3 === 0 ? turned(indices.slice(i, i + 3)) : [])) : indices]);
  });
  for (const { tracks } of animations) tracks.forEach(({ name, times, values }) => found.push([name, Array.from(times), Array.from(values)]));
  return found;
}

for (const name of ['dragon.glb', 'octopus.glb', 'robot.glb']) {
  test(`three.js has the same numbers of ${name}, compressed`, async () => {
    const [plain, packed] = await Promise.all(['none', 'meshopt'].map((word) => convert(`${name}&textures=none&compress=${word}`)));
    assert.ok(packed.length < plain.length, `${packed.length} of ${plain.length}`);
    const [a, b] = await Promise.all([load(plain), load(packed)]);
    assert.ok(arraysOf(a).length > 2);
    assert.deepEqual(arraysOf(b), arraysOf(a));
    const { issues } = await validator.validateBytes(packed, { maxIssues: 20 });
    assert.deepEqual(issues.messages.filter(({ severity }) => severity === 0), []);
  });
}

// How far the points of one list of tracks are from the nearest of the other, at all moments; Infinity beyond reach of it at the first.
function apart(tracks, others, reach) {
  const cell = (track, x, y, z) => [x, y, z].map((shift, i) => Math.floor(track[0][i] / reach) + shift).join();
  const distance = (one, other) => Math.max(...one.map((point, f) => Math.hypot(...point.map((value, i) => value - other[f][i]))));
  const cells = new Map(), around = [-1, 0, 1];
  for (const other of others) cells.set(cell(other, 0, 0, 0), [...cells.get(cell(other, 0, 0, 0)) ?? [], other]);
  const near = (track) => around.flatMap((x) => around.flatMap((y) => around.flatMap((z) => cells.get(cell(track, x, y, z)) ?? [])));
  return tracks.reduce((worst, track) => Math.max(worst, near(track).reduce((least, other) => Math.min(least, distance(track, other)), Infinity)), 0);
}

for (const name of NAMES) {
  test(`three.js has the vertices of ${name}, optimised`, async () => {
    const [bytes, ...optimised] = await Promise.all(['', '&optimize=1', '&optimize=1&compress=none'].map((more) => convert(`${name}&textures=none${more}`)));
    const plain = await load(bytes);
    const sizeOf = (points) => Math.max(...[0, 1, 2].map((i) => Math.max(...points.map((point) => point[i])) - Math.min(...points.map((point) => point[i]))));
    const rest = verticesAt(plain, null, [0])[0];
    for (const small of optimised) {
      const { issues } = await validator.validateBytes(small, { maxIssues: 20 });
      assert.deepEqual(issues.messages.filter(({ severity }) => severity === 0), []);
      const model = await load(small);
      for (const index of [null, ...plain.animations.keys()]) {
        const times = SHARES.map((share) => share * (index === null ? 0 : plain.animations[index].duration));
        const tracks = [plain, model].map((one) => { const frames = verticesAt(one, index, times); return frames[0].map((_, v) => frames.map((points) => points[v])); });
        const size = rest.length > 0 ? sizeOf(rest) : 0;
        for (const [one, other] of [tracks, [tracks[1], tracks[0]]]) {
          const thinned = one.filter((_, v) => v % 7 === 0);
          assert.ok(thinned.length === 0 || apart(thinned, other, 2e-4 * size) <= 1.05e-4 * size, `clip ${index}`);
        }
        const places = [plain, model].map((one) => posesAt(one, index, times).map(({ nodes }) => nodes));
        const nodes = Object.keys(places[0][0]);
        const far = Math.max(size, ...nodes.map((n) => Math.hypot(...places[0][0][n].slice(12, 15))));
        places[0].forEach((frame, f) => nodes.forEach((n) => {
          const between = [12, 13, 14].map((i) => frame[n][i] - places[1][f][n][i]);
          assert.ok(Math.hypot(...between) <= 1.05e-4 * far, `clip ${index}, node ${n}`);
        }));
      }
    }
  });
}

// Where three-vrm differs from the specification the files have nothing to tell: it does not cut weights to 0..1, and it takes the range of
// looks up for those down.
for (const [name, moves] of [...['turned.vrm', 'uneven.vrm', 'old.vrm', 'looking.vrm', 'helped.vrm'].map((one) => [one, 'move.vrma']), ['turned.vrm', 'face.vrma']]) {
  test(`three-vrm moves ${name} by ${moves} to the same vertices`, async () => {
    const times = [0, 0.5, 0.75, 1.25, 1.7, 2]; // keys, and times between
    const [model, motion] = [name, moves].map((one) => fs.readFileSync(path.join(root, one)));
    const theirs = await vrmAt(model, motion, times);
    const { meshes, frames } = await ask(`/v1/mesh?model=${name}&clip_file=${moves}&retarget=rest&clip=0&wrap=clamp&t=${times.join()}`);
    const { nodes } = await ask('/v1/model?model=' + name);
    let moved = 0;
    frames.forEach(({ positions }, f) => meshes.forEach(({ node }, m) => {
      const points = theirs[f][nodes[node].name].flat();
      assert.equal(points.length, positions[m].length);
      points.forEach((x, i) => assert.ok(Math.abs(x - positions[m][i]) < 2e-5, `${name} ${nodes[node].name} at ${times[f]}: ${x} ${positions[m][i]}`));
      moved = Math.max(moved, ...points.map((x, i) => Math.abs(x - frames[0].positions[m][i])));
    }));
    assert.equal(meshes.length, name === 'helped.vrm' ? 9 : 4);
    assert.ok(moved > (moves === 'move.vrma' ? 0.3 : 0.005), 'the body moves, or the face');
  });
}

// --- poses that a request gives ---

const TURNS = { head: [25, 30, -20], spine: [-10, -25, 15] }; // degrees about x, then y, then z
const FACES = [{ happy: 1 }, { happy: 0.3, blink: 0.8, aa: 0.5 }, { blink: 0.75, aa: 1 }, { wink: 0.5, blink: 0.25 }, { wink: 0.51, happy: 0.4, lookUp: 0.6 }];
// Where three-vrm differs from the specification no number tells: it takes the range of eyes that look up for those down, which is the same
// here. Where the head is sheared, no rotation is its own: three-vrm takes one from its columns, posed the nearest one, which
// tests/api/formats/test_vrm_looks.py computes.
const ANGLES = [[0, 0], [35, 10], [-50, -70], [75, 20], [-120, 170], [180, -90]].map(([yaw, pitch]) => ({ yaw, pitch }));

// The body of a request for a pose of three_glb.mjs, a layer alone.
function layerOf(name, { expressions = {}, turns = {}, look }) {
  const nodes = Object.fromEntries(Object.entries(turns).map(([bone, degrees]) => [bone, { degrees }]));
  const body = JSON.stringify({ model: name, layers: [{ pose: { relative_to: 'rest', nodes, expressions, ...(look && { look }) } }] });
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}

// The same as short forms.
const shortOf = ({ expressions = {}, turns = {}, look }) => [...Object.entries(expressions).map((one) => 'expression=' + one.join(':')),
  ...Object.entries(turns).map(([bone, degrees]) => `turn=${bone}:${degrees}`), ...(look ? ['look=' + (look.at ?? [look.yaw, look.pitch])] : [])].join('&');

const meshOf = (name, pose) => (pose.time === undefined ? ask('/v1/mesh', layerOf(name, pose))
  : ask(`/v1/mesh?model=${name}&clip_file=bones.vrma&retarget=rest&clip=0&wrap=clamp&t=${pose.time}&${shortOf(pose)}`));

// Places to look at: in front of the eyes, behind, above, below, beside; from a first guess of where the head is.
function placesAround(meshes, nodes) {
  const eyes = ['leftEye', 'rightEye'].map((name) => meshes.findIndex(({ node }) => nodes[node].name === name));
  return [[0.4, 0.1, 2], [-1, 0.3, -1.5], [0.1, 3, 0.05], [0.2, -2, 0.3], [-3, 0, 0.4], [0.01, 0.02, 0.2]].map((offset) => ({ eyes, offset }));
}

for (const name of ['turned.vrm', 'old.vrm', 'looking.vrm', 'uneven.vrm']) {
  test(`three-vrm gives ${name} the same expressions and looks`, async () => {
    const [model, motion] = [name, 'bones.vrma'].map((one) => fs.readFileSync(path.join(root, one)));
    const { nodes } = await ask('/v1/model?model=' + name);
    const rest = await ask('/v1/mesh?clip=-&model=' + name);
    const places = placesAround(rest.meshes, nodes).map(({ eyes, offset }) => {
      const [left, right] = eyes.map((m) => rest.frames[0].positions[m]);
      return offset.map((one, i) => (left[i] + right[i]) / 2 + one);
    });
    const looks = [...ANGLES, ...places.map((at) => ({ at }))];
    const bare = [...FACES.map((expressions) => ({ expressions })), ...looks.map((look) => ({ look })),
      ...looks.map((look, i) => ({ look, turns: TURNS, expressions: FACES[i % FACES.length] }))];
    const moved = looks.flatMap((look, i) => [{ look, time: 0.3 * (i % 6) }, { look, time: 0.2 * i % 2, turns: TURNS }]);
    let most = 0;
    for (const [poses, under] of [[bare, null], [moved, motion]]) {
      const theirs = await givenAt(model, poses, under);
      for (const [p, pose] of poses.entries()) {
        const { meshes, frames: [{ positions }] } = await meshOf(name, pose);
        meshes.forEach(({ node }, m) => {
          const points = theirs[p].meshes[nodes[node].name].flat();
          if (name === 'uneven.vrm' && pose.look?.at && (pose.turns || pose.time !== undefined) && /Eye$/.test(nodes[node].name)) return;
          assert.equal(points.length, positions[m].length);
          points.forEach((x, i) => assert.ok(Math.abs(x - positions[m][i]) < 2e-5, `${nodes[node].name} of ${JSON.stringify(pose)}: ${x} ${positions[m][i]}`));
          most = Math.max(most, ...points.map((x, i) => Math.abs(x - rest.frames[0].positions[m][i])));
        });
      }
    }
    assert.ok(most > 0.1);
  });
}

// three-vrm does not cut colours to what a file may have.
const COLOURED = [{ happy: 1 }, { happy: 0.5, angry: 0.7 }, { stripes: 1 }, { stripes: 0.3, happy: 0.25 }, { angry: 1 }, { angry: 0.4 }, { blink: 0 }];

for (const name of ['ann1_bone.vrm', 'ann0_bone.vrm', 'ann1_expression.vrm', 'ann0_expression.vrm']) {
  test(`three-vrm gives the materials of ${name} the same colours and texture transforms`, async () => {
    const looks = [[20, -30], [-45, 90], [0, 10]].map(([yaw, pitch]) => ({ look: { yaw, pitch }, expressions: { happy: 0.5 } }));
    const places = [[1, 2, 3], [-2, 1.5, -1]].map((at) => ({ look: { at }, turns: TURNS }));
    const poses = [...COLOURED.map((expressions) => ({ expressions })), ...looks, ...places];
    const theirs = await givenAt(fs.readFileSync(path.join(root, name)), poses);
    const seen = new Set();
    for (const [p, pose] of poses.entries()) {
      const one = await fetch(`${server.url}/v1/mesh?model=${name}&format=glb&clip=-&${shortOf(pose)}`);
      const other = await fetch(server.url + '/v1/mesh?format=glb', layerOf(name, pose));
      for (const answer of [one, other]) {
        const bytes = new Uint8Array(await answer.arrayBuffer());
        assert.equal(answer.status, 200, new TextDecoder().decode(bytes.slice(0, 300)));
        const ours = materialsOf((await load(bytes)).scene);
        assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs[p].materials).sort());
        for (const [material, parts] of Object.entries(theirs[p].materials)) {
          for (const [part, numbers] of Object.entries(parts)) {
            numbers?.forEach((x, i) => assert.ok(Math.abs((part === 'map' ? x : Math.max(0, x)) - (ours[material][part]?.[i] ?? [1, 1, 0, 0, 0][i])) < 2e-6, `${material} ${part} of ${JSON.stringify(pose)}: ${numbers} ${ours[material][part]}`));
          }
        }
        seen.add(JSON.stringify(ours));
      }
    }
    assert.ok(seen.size > (name.includes('expression') ? 8 : 5), `${seen.size} looks`);
  });
}

for (const clip of [true, false]) {
  test(`three-vrm has the vertices of many.glb, whose nodes have constraints, ${clip ? 'in its clip' : 'at rest'}`, async () => {
    const times = clip ? [0, 0.5, 0.8, 1.25, 1.7, 2] : [0];
    const { constraints } = await ask('/v1/model?model=many.glb');
    const { frames } = await ask(`/v1/mesh?model=many.glb&clip=${clip ? 0 : '-'}&wrap=clamp&t=${times.join()}`);
    for (const [f, bytes] of [fs.readFileSync(path.join(root, 'many.glb')), await convert('many.glb')].entries()) {
      const theirs = await constrainedAt(bytes, times, clip);
      assert.equal(theirs[0].constraints, constraints.length);
      times.forEach((_, i) => {
        const points = Object.values(theirs[i].meshes)[0].flat(), ours = frames[i].positions[0];
        points.forEach((x, k) => assert.ok(Math.abs(x - ours[k]) < 2e-5, `file ${f} at ${times[i]}, node ${Math.floor(k / 9)}: ${x} ${ours[k]}`));
      });
    }
  });
}

const BLENDS = {
  'robot.glb': [{ clip: 'walk', wrap: 'clamp' }, { clip: 'wave', wrap: 'clamp', subtree: 'arm_right', weight: 3 },
    { pose: { nodes: { head: { degrees: [0, 40, 10] } }, relative_to: 'rest' }, mode: 'additive', weight: 0.5 }],
  'uneven.vrm': [{ pose: { nodes: ['head', 'leftUpperArm'], frames: [0, 70].map((x) => ({ degrees: [[x, 0, 5], [0, x, -x]] })), rate: 1, relative_to: 'rest' }, wrap: 'clamp' },
    { pose: { expressions: { happy: 0.7 } } }],
};

for (const [name, layers] of Object.entries(BLENDS)) {
  test(`layers of ${name} are a clip that the validator finds right, and three.js has their poses`, async () => {
    const post = (body) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ model: name, layers, ...body }) });
    const answer = await fetch(`${server.url}/v1/export`, post({ fps: 8 }));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    assert.equal(answer.status, 200, new TextDecoder().decode(bytes));
    const { issues } = await validator.validateBytes(bytes, { maxIssues: 20 });
    assert.deepEqual(issues.messages.filter(({ severity }) => severity <= 1), []);
    const model = await load(bytes);
    assert.deepEqual(model.animations.map((one) => one.name), ['blend']);
    const times = Array.from({ length: 1 + Math.floor(model.animations[0].duration * 8) }, (_, k) => Math.fround(k / 8));
    assert.ok(times.length > 8);
    const pose = await ask('/v1/pose', post({ t: times }));
    posesAt(model, 0, times).forEach(({ nodes }, f) => {
      const scene = pose.frames[f].scene, size = Math.max(...scene.flat().map(Math.abs));
      assert.ok(farthest(scene.map((_, n) => nodes[n]), scene) <= TOLERANCE * size, `${name} at ${times[f]}`);
    });
  });
}
