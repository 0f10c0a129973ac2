// protocol/examples: the bytes that every client and the server must use. protocol/tcp.md explains the files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../protocol/examples');

export const exampleNames = () => fs.readdirSync(FOLDER).filter((name) => name.endsWith('.txt')).map((name) => name.slice(0, -4)).sort();

// {after: names of examples that come first, steps: [{isClient, bytes (null: any), hasRest}]}
export function readExample(name) {
  const [after, steps] = [[], []];
  for (const line of fs.readFileSync(path.join(FOLDER, name + '.txt'), 'utf8').split('\n')) {
    if (line.startsWith('after ')) {
      after.push(...line.split(' ').slice(1));
    } else if (/^[<>] /.test(line)) {
      steps.push({ isClient: line[0] === '>', bytes: [], hasRest: false });
    } else if (line.trim()) {
      const [, offset, data] = /^([0-9a-f]{4})  ((?:(?:[0-9a-f]{2}|\?\?) ?)+|\*)/.exec(line);
      const step = steps.at(-1);
      assert.equal(parseInt(offset, 16), step.bytes.length, line);
      if (data === '*') step.hasRest = true;
      else step.bytes.push(...data.trim().split(/ +/).map((byte) => (byte === '??' ? null : parseInt(byte, 16))));
    }
  }
  return { after, steps };
}

export function matches(step, bytes) {
  const fits = step.hasRest ? bytes.length >= step.bytes.length : bytes.length === step.bytes.length;
  return fits && step.bytes.every((byte, i) => byte === null || byte === bytes[i]);
}
