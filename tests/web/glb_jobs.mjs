// glb_jobs.mjs - does jobs with glTF files for programs in other languages: a line of JSON on stdin for each, and one on stdout.
//   {"job": "poses", "file": PATH, "clips": [{"clip": INDEX or null, "times": [SECONDS]}]}   {"version", "names", "clips": [[FRAME]]}, see three_glb.mjs
//   {"job": "validate", "file": PATH}                                                        {"errors", "warnings", "messages"}
//   {"job": "rewrite", "file": PATH, "out": PATH}                                            {} when three.js has written it
// A job that fails is answered {"error": TEXT}.
import fs from 'node:fs';
import readline from 'node:readline';
import { REVISION } from 'three';
import validator from 'gltf-validator';
import { load, posesAt, rewrite } from './three_glb.mjs';

for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};

const JOBS = {
  async poses({ file, clips }) {
    const model = await load(fs.readFileSync(file));
    const names = model.animations.map((one) => one.name);
    return { version: REVISION, names, clips: clips.map(({ clip, times }) => posesAt(model, clip, times)) };
  },
  async validate({ file }) {
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 20 });
    return { errors: issues.numErrors, warnings: issues.numWarnings, messages: issues.messages };
  },
  async rewrite({ file, out }) {
    fs.writeFileSync(out, await rewrite(fs.readFileSync(file)));
    return {};
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const answer = await JOBS[job.job](job).catch((error) => ({ error: String(error.stack || error) }));
  process.stdout.write(JSON.stringify(answer) + '\n');
}
