// The scenes of crowd_scene.py and raycast_scene.py for the JavaScript client, and a connection for them.
import { Client } from '../../clients/js/posed.js';
import { webSocket } from './websocket.mjs';

// The upper three rows as 16 numbers, column by column.
const columns = (rows) => [0, 1, 2, 3].flatMap((column) => [...[0, 1, 2].map((row) => rows[4 * row + column]), column === 3 ? 1 : 0]);

export function read(text) {
  const scene = { models: [], masks: [], wanted: [], poses: [], entities: [], targets: [], rays: [], casts: [] };
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
      const [clip, t, weight, mask, , , referenceClip, referenceTime, file] = numbers;
      scene.entities.at(-1).layers.push({ clip, t, weight, mask, wrap: rest[4], mode: rest[5], clip_file: scene.models[file], reference: { clip: referenceClip, t: referenceTime } });
    }
    if (word === 'pose') {
      const nodes = {};
      for (let at = 0; at < numbers.length;) {
        const [node, parts] = [numbers[at++], numbers[at++]];
        nodes[node] = Object.fromEntries([['translation', 1, 3], ['rotation', 2, 4], ['scale', 4, 3]].filter(([, bit]) => parts & bit)
          .map(([part, , count]) => [part, numbers.slice(at, at += count)]));
      }
      scene.poses.push({ nodes });
    }
    if (word === 'given') {
      const [pose, weight, mask] = numbers;
      scene.entities.at(-1).layers.push({ pose, weight, mask, mode: rest[3] });
    }
    if (word === 'target') scene.targets.push({ begin: numbers[0], end: numbers[1], mask: numbers[2] });
    if (word === 'ray') {
      const [max, radius, at, mask, ignore] = [rest[6] === 'inf' ? Infinity : numbers[6], ...numbers.slice(7)];
      scene.rays.push({ origin: numbers.slice(0, 3), direction: numbers.slice(3, 6), max, radius, at, mask, ignore });
    }
    if (word === 'cast') scene.casts.push({ fit: rest[0], test: rest[1], hits: rest[2] });
  }
  return scene;
}

// A Client; with the form `socket` a Link, which the caller closes.
export async function connect(url, form) {
  const WebSocket = form === 'socket' ? webSocket() : undefined;
  const client = new Client(url, { WebSocket });
  return form === 'socket' ? client.connect() : client;
}
