// A tick of a crowd as a page or Node asks for it, over a WebSocket: crowd_socket.mjs URL MODEL CHARACTERS NODE.
//
// Answers a line of JSON for each line on stdin, as crowd.c does: "measure LAYERS SECONDS" tells the nanoseconds of a tick.
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { Client } from '../../../clients/js/posed.js';

const [, , url, path, characters, node] = process.argv;
const WebSocket = globalThis.WebSocket ?? createRequire(new URL('../../web/', import.meta.url))('ws').WebSocket;
const client = new Client(url, { WebSocket });
const { duration } = (await client.model(path).info()).clips[0];
const link = await client.connect();
await link.open(path);

async function tick(layers) {
  const layer = (k) => ({ clip: 0, t: Math.random() * duration, weight: k ? 0.5 : 1, mask: k ? 0 : -1 });
  const entities = Array.from({ length: Number(characters) }, () => ({ layers: Array.from({ length: layers }, (_, k) => layer(k)) }));
  const crowd = await link.crowd({ models: [path], masks: [{ subtree: [Number(node)] }], entities });
  if (crowd.errors.size) throw new Error([...crowd.errors.values()][0].message);
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [, layers, seconds] = line.split(' ').map(Number);
  const begin = performance.now();
  let ticks = 0;
  while (performance.now() - begin < seconds * 1e3) {
    await tick(layers);
    ticks += 1;
  }
  console.log(JSON.stringify({ ns: (performance.now() - begin) * 1e6 / ticks, ticks, characters: Number(characters) }));
}
link.close();
