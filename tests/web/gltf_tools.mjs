// gltf-transform and gltfpack, which write a GLB file again in another form.
import fs from 'node:fs';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { dedup, meshopt, prune, quantize, resample, weld } from '@gltf-transform/functions';
import { pack } from 'gltfpack';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);

// Every function with the defaults of gltf-transform's command of that name.
const STEPS = {
  dedup: () => dedup(),
  prune: () => prune(),
  weld: () => weld(),
  quantize: () => quantize(),
  meshopt: () => meshopt({ encoder: MeshoptEncoder, level: 'high' }),
  resample: () => resample(),
};

export async function transform(file, out, steps) {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS)
    .registerDependencies({ 'meshopt.decoder': MeshoptDecoder, 'meshopt.encoder': MeshoptEncoder });
  const document = await io.read(file);
  document.setLogger(new Logger(Logger.Verbosity.SILENT));
  await document.transform(...steps.map((step) => STEPS[step]()));
  await io.write(out, document);
}

// options: as gltfpack's command takes them.
export async function packed(file, out, options) {
  const files = { read: (path) => fs.readFileSync(path), write: (path, data) => fs.writeFileSync(path, data) };
  await pack(['-i', file, '-o', out, ...options], files);
}
