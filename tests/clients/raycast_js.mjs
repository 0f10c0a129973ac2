// The casts of raycast_scene.py with the JavaScript client: raycast_js.mjs URL SCENE [http|socket [objects]]. With `socket` they go over a
// WebSocket. With `objects` rays and hits are objects, else arrays.
import fs from 'node:fs';
import { PosedError } from '../../clients/js/posed.js';
import { connect, read } from './scene.mjs';

const hex = (bits) => bits.toString(16).padStart(8, '0');

function arraysOf(rays) {
  const column = (name, Type) => Type.from(rays, (ray) => ray[name]);
  return {
    origins: Float64Array.from(rays.flatMap(({ origin }) => origin)), directions: Float64Array.from(rays.flatMap(({ direction }) => direction)),
    max: column('max', Float64Array), radius: column('radius', Float64Array), at: column('at', Float64Array),
    mask: column('mask', Uint32Array), ignore: column('ignore', Float64Array),
  };
}

function lineOf({ ray, entity, node, part, triangle, inside, distance, point, normal, barycentric }) {
  const bits = new Uint32Array(Float32Array.of(distance, ...point, ...normal, ...barycentric).buffer);
  return [ray, entity, node, part, triangle, Number(inside), ...Array.from(bits, hex)].join(' ');
}

// The same from the words of all hits.
const lineAt = ({ words }, i) => [...words.subarray(16 * i, 16 * i + 6), ...Array.from(words.subarray(16 * i + 6, 16 * i + 16), hex)].join(' ');

const [url, path, form, kind] = process.argv.slice(2);
const { casts, rays, ...scene } = read(fs.readFileSync(path, 'utf8'));
const asker = await connect(url, form);
try {
  for (const cast of casts) {
    const hits = await asker.raycastCrowd({ ...scene, ...cast, rays: kind === 'objects' ? rays : arraysOf(rays) });
    const lines = kind === 'objects' ? Array.from(hits, lineOf) : Array.from({ length: hits.length }, (_, i) => lineAt(hits, i));
    process.stdout.write([`cast ${cast.fit} ${cast.test} ${cast.hits} ${hits.length}`, ...lines, ''].join('\n'));
  }
} catch (error) {
  if (!(error instanceof PosedError)) throw error;
  process.stdout.write(`error ${error.code} ${error.message}\n`);
  process.exitCode = 1;
}
asker.close?.();
