// Clips in three.js in Node have the same poses as in posed, even after its exporter has rewritten the file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SAMPLES, startServer, temporaryFolder } from './posed.mjs';
import { load, posesAt, rewrite } from './three_glb.mjs';

const NAMES = ['dragon', 'octopus', 'robot'];
const TOLERANCE = 2e-6; // of the model's size
const TIMES = [0, 0.013, 0.25, 0.61, 1];

let root, server;

before(async () => {
  root = temporaryFolder();
  for (const name of NAMES) {
    const bytes = fs.readFileSync(path.join(SAMPLES, name + '.glb'));
    fs.writeFileSync(path.join(root, name + '.glb'), bytes);
    fs.writeFileSync(path.join(root, name + '-three.glb'), await rewrite(bytes));
  }
  server = await startServer(root, '--render-workers', '0');
});

after(async () => {
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

const ask = async (target) => {
  const answer = await fetch(server.url + target);
  assert.equal(answer.status, 200, target);
  return answer.json();
};

function farthest(one, other) {
  assert.equal(one.length, other.length);
  return one.reduce((most, matrix, i) => matrix.reduce((worst, x, k) => Math.max(worst, Math.abs(x - other[i][k])), most), 0);
}

for (const file of NAMES.flatMap((name) => [name, name + '-three'])) {
  test(`three.js has the poses of ${file}.glb`, async () => {
    const { clips, bounds } = await ask(`/v1/model?model=${file}.glb`);
    const size = Math.max(...bounds.min.concat(bounds.max).map(Math.abs));
    const model = await load(fs.readFileSync(path.join(root, file + '.glb')));
    assert.deepEqual(model.animations.map((one) => one.name), clips.map((one) => one.name));
    for (const { index, duration } of clips) {
      const times = TIMES.map((share) => share * duration);
      const query = `model=${file}.glb&clip=${index}&wrap=clamp&t=${times.join()}`;
      const pose = await ask('/v1/pose?' + query), palette = await ask('/v1/palette?' + query);
      posesAt(model, index, times).forEach((theirs, f) => {
        const nodes = Object.keys(theirs.nodes).map(Number);
        assert.equal(nodes.length, pose.nodes.length);
        assert.ok(farthest(nodes.map((n) => theirs.nodes[n]), nodes.map((n) => pose.frames[f].scene[n])) <= TOLERANCE * size);
        assert.ok(farthest(theirs.palettes[0], palette.frames[f].palettes[0]) <= TOLERANCE * size);
      });
    }
  });
}

for (const name of NAMES) {
  test(`${name}.glb is equal to what three.js writes of it`, async () => {
    const { equal, differences } = await ask(`/v1/compare?model=${name}-three.glb&with=${name}.glb`);
    assert.deepEqual(differences.map(({ message }) => message), []);
    assert.equal(equal, true);
  });
}
