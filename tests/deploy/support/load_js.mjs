// load_js.mjs URL EXPECTED WS: the JavaScript client under load until stdin ends. EXPECTED is a JSON file: {model: {time: binary frames in hex}}; WS is
// the module with a WebSocket, or ''. A line for each answer: "ok WAY", or "bad WAY WHY".
import fs from 'node:fs';
import { Client, Frames } from '../../../clients/js/posed.js';

const [url, file, ws] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(file, 'utf8'));
const WebSocket = globalThis.WebSocket ?? (ws ? (await import(ws)).WebSocket : undefined);
const client = new Client(url, { WebSocket });
const cases = Object.entries(expected).flatMap(([model, times]) => Object.entries(times).map(([t, hex]) => ({ model, t: Number(t), hex })));
let isOver = false;
process.stdin.on('end', () => { isOver = true; }).resume();
const numbersOf = (hex) => new Frames(Uint8Array.from(Buffer.from(hex, 'hex'))).palette(0);
const areEqual = (numbers, floats) => numbers.length === floats.length && numbers.every((number, i) => Math.fround(number) === floats[i]);
const hexOf = async (model, t) => Buffer.from((await model.ask('palette', { clip: 0, t, format: 'bin' })).bytes).toString('hex');

async function load(way, once) {
  for (let i = 0; !isOver; i++) {
    try {
      const wrong = await once(cases[i % cases.length], i);
      console.log(wrong ? `bad ${way} ${wrong}` : `ok ${way}`);
    } catch (error) {
      console.log(`bad ${way} ${error.message}`);
    }
  }
}

const loads = [load('http', async ({ model, t, hex }) => (await hexOf(client.model(model), t) === hex ? '' : 'another answer')),
  load('post', async ({ model, t, hex }) => {
    const [palette] = await client.batch([{ op: 'palette', model, clip: 0, t: [t] }]);
    return palette.frames?.length === 1 && areEqual(palette.frames[0].palettes[0].flat(), numbersOf(hex)) ? '' : `another answer: ${palette.message}`;
  })];
if (WebSocket) {
  const link = await client.connect();
  const models = Object.fromEntries(await Promise.all(Object.keys(expected).map(async (model) => [model, await link.open(model)])));
  loads.push(load('ws', async ({ model, t, hex }) => (await hexOf(models[model], t) === hex ? '' : 'another answer')));
  const streaming = await client.connect({ route: Object.keys(expected)[0] });
  const model = await streaming.open(Object.keys(expected)[0]);
  const stream = await model.stream('palette', { clip: 0 }, { rate: 60, credit: 4 });
  let before = null;
  loads.push(load('stream', async () => {
    const { value } = await stream.next();
    const wrong = before !== null && value.tick !== before + 1 + value.skipped ? `tick ${value.tick} with ${value.skipped} skipped behind ${before}` : '';
    before = value.tick;
    return wrong;
  }));
}
await Promise.all(loads);
process.exit(0);
