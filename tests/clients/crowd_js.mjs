// The crowd of crowd_scene.py by the JavaScript client: crowd_js.mjs URL SCENE [socket]. With `socket` it goes over a WebSocket.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import zlib from 'node:zlib';
import { Client } from '../../clients/js/posed.js';

// Node has zlib.crc32 from 22 on.
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc = zlib.crc32 ?? ((bytes) => (bytes.reduce((sum, byte) => TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8), -1) ^ -1) >>> 0);

function line(place, count, floats) {
  const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  return `${place} ${count} ${crc(bytes).toString(16).padStart(8, '0')}\n`;
}

// The upper three rows as 16 numbers, column by column.
const columns = (rows) => [0, 1, 2, 3].flatMap((column) => [...[0, 1, 2].map((row) => rows[4 * row + column]), column === 3 ? 1 : 0]);

function read(text) {
  const scene = { models: [], masks: [], wanted: [], entities: [] };
  for (const [word, ...rest] of text.trim().split('\n').map((one) => one.split(' '))) {
    const numbers = rest.map(Number);
    if (word === 'model') scene.models.push(rest[0]);
    if (word === 'mask') {
      const of = (scope) => rest.flatMap((one, i) => (one === scope ? [numbers[i + 1]] : []));
      scene.masks.push({ nodes: of('node'), subtree: of('subtree'), except: of('except') });
    }
    if (word === 'wanted') scene.wanted.push(rest[0] === 'nodes' ? { nodes: numbers.slice(1) } : { skin: numbers[1], joints: numbers.slice(2) });
    if (word === 'entity') {
      scene.entities.push({ model: numbers[0], wanted: numbers[1], layout: rest[2], layers: [], world: rest.length > 3 ? columns(numbers.slice(3)) : undefined });
    }
    if (word === 'layer') {
      const [clip, t, weight, mask, , , referenceClip, referenceTime] = numbers;
      scene.entities.at(-1).layers.push({ clip, t, weight, mask, wrap: rest[4], mode: rest[5], reference: { clip: referenceClip, t: referenceTime } });
    }
  }
  return scene;
}

const [url, path, form] = process.argv.slice(2);
// Node before 22 has no WebSocket; ws is what tests/web installs.
const WebSocket = globalThis.WebSocket ?? (form === 'socket' ? createRequire(new URL('../web/', import.meta.url))('ws').WebSocket : undefined);
const client = new Client(url, { WebSocket });
const link = form === 'socket' ? await client.connect() : null;
const crowd = await (link ?? client).crowd(read(fs.readFileSync(path, 'utf8')));
const lines = Array.from({ length: crowd.length }, (_, i) => (crowd.errors.has(i)
  ? `${i} error ${crowd.errors.get(i).code}\n`
  : line(i, crowd.place(i).count, crowd.matrices(i))));
process.stdout.write(lines.join('') + line('all', crowd.floats.byteLength, crowd.floats));
link?.close();
