// Compiled, never run: code that posed.d.ts allows and refuses.
import { Client, PosedError, givenPose, poseOf, type Frames, type GivenPose, type Picture } from '../../clients/js/posed.js';

export async function use(signal: AbortSignal, socket: typeof globalThis.WebSocket): Promise<number> {
  const posed = new Client('http://127.0.0.1:7878', { token: 'secret', WebSocket: socket });
  const robot = posed.model('robot.glb');
  const clip: string | null = (await robot.info({ signal })).clips[0].name;
  const palette: Frames = await robot.palette({ clip: clip ?? 0, t: [0, '1:2:30'], skin: [0, 'body'] });
  const json = await robot.pose({ format: 'json', what: ['local', 'scene'] });
  const picture: Picture = await robot.render({ width: 512, yaw: 40, view: 'depth' });
  const sheet: Picture = await robot.sheet({ clips: 'all', format: 'webp', layers: [{ clip: 'wave', joints: ['arm'], weight: 0.5 }] });
  const turned: GivenPose = givenPose({ nodes: ['head', 3], rotation: new Float32Array(8), scale: [null, [1, 2, 1]], times: new Float64Array(1) });
  await robot.palette({ layers: [{ clip: 'walk' }, { pose: turned, mode: 'additive', weight: 0.5 }, { pose: poseOf(palette) }, { pose: json }] });
  await robot.bounds({ layers: [{ pose: { nodes: { head: { degrees: [0, 20, 0] } }, relative_to: 'rest' } }], turn: ['head:0,20,0'], morph: 'smile:1' });
  // @ts-expect-error no such relation
  await robot.palette({ layers: [{ pose: { nodes: ['head'], relative_to: 'world' } }] });
  // @ts-expect-error rows of numbers
  givenPose({ nodes: ['head'], rotation: 'no' });
  const indices: Uint32Array = (await robot.mesh({ indices: true })).array('indices');
  for await (const { model } of posed.models()) model.toUpperCase();
  const link = await posed.connect();
  const stream = await (await link.open('robot.glb')).stream('palette', { clip: 'walk' }, { rate: 30, signal });
  for await (const frame of stream) {
    const numbers: Float32Array = frame.frames.palette();
    if (frame.skipped > numbers.length) await stream.seek(0);
  }
  for (const result of await link.batch([{ op: 'model', model: 'robot.glb' }])) {
    if (result instanceof PosedError) throw result;
  }
  const crowd = await link.crowd({ models: ['robot.glb'], entities: [{ layers: [{ clip: 0, t: 0.5 }], world: new Float64Array(16) }], wanted: [{ nodes: [1] }] });
  const floats: Float32Array = crowd.matrices(0);
  if (crowd.errors.get(0)?.code === 'clip_not_found') floats.fill(crowd.place(0).offset);
  const hits = await link.raycastCrowd({
    models: ['robot.glb'], entities: [{}, {}], targets: [{ begin: 0, end: 1, mask: 2 }], test: 'mesh', hits: 'all',
    rays: { origins: new Float64Array(6), directions: [0, 0, 1, 0, 0, 1], at: 0.5, mask: new Uint32Array(2) },
  });
  for (const { inside, point } of hits) if (!inside) floats.set(point);
  const nearest: number = hits.length ? hits.hit(0).distance : hits.floats[6];
  // @ts-expect-error no such volume
  await posed.raycastCrowd({ models: ['robot.glb'], entities: [{}], rays: [{ origin: [0, 0, 0], direction: [0, 0, 1] }], fit: 'cube' });
  // @ts-expect-error a ray has a direction
  await posed.raycastCrowd({ models: ['robot.glb'], entities: [{}], rays: [{ origin: [0, 0, 0] }] });
  // @ts-expect-error clips are indices
  await posed.crowd({ models: ['robot.glb'], entities: [{ layers: [{ clip: 'walk' }] }] });
  // @ts-expect-error a stream has a position instead
  await (await link.open('robot.glb')).stream('pose', { t: 1 });
  // @ts-expect-error no such layout
  await robot.palette({ layout: 'mat5' });
  // @ts-expect-error no such parameter
  await robot.palette({ clipp: 0 });
  // @ts-expect-error no such parameter of a picture
  await robot.render({ widht: 64 });
  return palette.frameCount + json.frames.length + picture.bytes.length + sheet.bytes.length + indices.length + nearest;
}
