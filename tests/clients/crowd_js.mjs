// The crowd of crowd_scene.py with the JavaScript client: crowd_js.mjs URL SCENE [socket]. With `socket` it goes over a WebSocket.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { connect, read } from './scene.mjs';

// Node has zlib.crc32 only from version 22 on.
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc = zlib.crc32 ?? ((bytes) => (bytes.reduce((sum, byte) => TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8), -1) ^ -1) >>> 0);

function line(place, count, floats) {
  const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  return `${place} ${count} ${crc(bytes).toString(16).padStart(8, '0')}\n`;
}

const [url, path, form] = process.argv.slice(2);
const asker = await connect(url, form);
const crowd = await asker.crowd(read(fs.readFileSync(path, 'utf8')));
const lines = Array.from({ length: crowd.length }, (_, i) => (crowd.errors.has(i)
  ? `${i} error ${crowd.errors.get(i).code}\n`
  : line(i, crowd.place(i).count, crowd.matrices(i))));
process.stdout.write(lines.join('') + line('all', crowd.floats.byteLength, crowd.floats));
asker.close?.();
