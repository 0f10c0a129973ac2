// Loads a glTF file into three.js without its pictures, for the programs that measure three.js.
import fs from 'node:fs';
import { Texture } from '../../web/node_modules/three/build/three.module.js';
import { GLTFLoader } from '../../web/node_modules/three/examples/jsm/loaders/GLTFLoader.js';

/** @returns {Promise<Object>} {scene, animations, ...} of GLTFLoader */
export function loadGltf(file) {
  globalThis.self ??= globalThis;
  globalThis.ProgressEvent ??= class {}; // of the browser; the loader makes one for buffers in data URIs
  const bytes = new Uint8Array(fs.readFileSync(file));
  const loader = new GLTFLoader();
  loader.register(() => ({ name: 'without pictures', loadTexture: () => Promise.resolve(new Texture()) }));
  return new Promise((resolve, reject) => { loader.parse(bytes.buffer, '', resolve, reject); });
}
