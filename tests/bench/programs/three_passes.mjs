// three_passes - numbers for each pixel of poses, as a page with three.js makes them in one Chromium.
//
//   node three_passes.mjs
//
// Answers a line of JSON for each line on stdin, {"folder": .., "model": .., "clip": .., "count": .., "side": ..}: {"ms": .., "bytes": ..,
// "covered": ..}. The browser runs already. The model is read once; each pose has another time of the clip. A pose is drawn twice: in light
// with four samples a pixel, and to two float targets with normal and depth, node and joint. Both are read back, turned into rows from the
// top of one array a pass, and deflated at level 1 by fflate. covered: pixels of the last pose that show the model. three is that of tests/web.
import { answerLines } from './three_page.mjs';

const SCRIPT = `import * as three from 'three';
import { GLTFLoader } from '/three/examples/jsm/loaders/GLTFLoader.js';
import { zipSync } from '/three/examples/jsm/libs/fflate.module.js';

const renderer = new three.WebGLRenderer({ canvas: new OffscreenCanvas(1, 1), alpha: true });
const numbers = new three.ShaderMaterial({
  glslVersion: three.GLSL3,
  uniforms: { node: { value: 0 }, nodes: { value: new Int32Array(256) } },
  vertexShader: \`
    #include <common>
    #include <skinning_pars_vertex>
    uniform int nodes[256];
    out vec3 direction;
    out float along;
    flat out int joint;
    void main() {
      #include <skinbase_vertex>
      #include <beginnormal_vertex>
      #include <skinnormal_vertex>
      #include <begin_vertex>
      #include <skinning_vertex>
      #include <project_vertex>
      int most = 0;
      for (int i = 1; i < 4; i++)
        if (skinWeight[i] > skinWeight[most]) most = i;
      joint = nodes[int(skinIndex[most])];
      direction = normalMatrix * objectNormal;
      along = -mvPosition.z;
    }\`,
  fragmentShader: \`
    uniform int node;
    in vec3 direction;
    in float along;
    flat in int joint;
    layout(location = 0) out vec4 surface;
    layout(location = 1) out vec4 ids;
    void main() {
      surface = vec4(normalize(direction) * (gl_FrontFacing ? 1.0 : -1.0), along);
      ids = vec4(float(node) + 1.0, float(joint) + 1.0, 0.0, 1.0);
    }\`,
});
let model = null;

async function load(name, clip, side) {
  const loaded = await new GLTFLoader().parseAsync(await (await fetch('/models/' + name)).arrayBuffer(), '');
  const scene = new three.Scene(), sun = new three.DirectionalLight(0xffffff, 2), mixer = new three.AnimationMixer(loaded.scene);
  sun.position.set(1, 2, 3);
  scene.add(loaded.scene, new three.HemisphereLight(0xffffff, 0x888888, 2), sun);
  const skinned = loaded.scene.getObjectByProperty('isSkinnedMesh', true);
  const places = loaded.parser.associations;
  const animation = loaded.animations.find((one) => one.name === clip);
  mixer.clipAction(animation).play();
  const ball = new three.Box3().setFromObject(loaded.scene).getBoundingSphere(new three.Sphere());
  const camera = new three.PerspectiveCamera(30, 1, ball.radius, ball.radius * 10);
  camera.position.copy(ball.center).add(new three.Vector3(0.5, 0.4, 1).setLength(ball.radius * 4));
  camera.lookAt(ball.center);
  numbers.uniforms.node.value = places.get(skinned).nodes;
  skinned.skeleton.bones.forEach((bone, i) => { numbers.uniforms.nodes.value[i] = places.get(bone).nodes; });
  return { scene, mixer, camera, length: animation.duration,
    light: new three.WebGLRenderTarget(side, side, { samples: 4, colorSpace: three.SRGBColorSpace }),
    data: new three.WebGLRenderTarget(side, side, { count: 2, type: three.FloatType }) };
}

// Rows from the top, and the components of each pixel that a pass wants.
function take(pixels, side, first, count, Kind, change = (value) => value) {
  const out = new Kind(side * side * count);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let c = 0; c < count; c++)
        out[(y * side + x) * count + c] = change(pixels[((side - 1 - y) * side + x) * 4 + first + c]);
  return out;
}

function draw(time, side) {
  const color = new Uint8Array(side * side * 4), surface = new Float32Array(side * side * 4), ids = new Float32Array(side * side * 4);
  model.mixer.setTime(time);
  model.scene.overrideMaterial = null;
  renderer.setClearColor(0, 0);
  renderer.setRenderTarget(model.light);
  renderer.clear();
  renderer.render(model.scene, model.camera);
  renderer.readRenderTargetPixels(model.light, 0, 0, side, side, color);
  model.scene.overrideMaterial = numbers;
  renderer.setRenderTarget(model.data);
  renderer.clear();
  renderer.render(model.scene, model.camera);
  renderer.readRenderTargetPixels(model.data, 0, 0, side, side, surface);
  renderer.readRenderTargetPixels(model.data, 0, 0, side, side, ids, undefined, 1);
  const minusOne = (value) => value - 1;
  return { color: take(color, side, 0, 4, Uint8Array), depth: take(surface, side, 3, 1, Float32Array, (value) => value || Infinity),
    normal: take(surface, side, 0, 3, Float32Array), node: take(ids, side, 0, 1, Int32Array, minusOne),
    joint: take(ids, side, 1, 1, Int32Array, minusOne) };
}

window.drawAll = async ({ model: name, clip, count, side }) => {
  model ??= await load(name, clip, side);
  draw(0, side);
  const begin = performance.now();
  let bytes = 0, passes;
  for (let i = 0; i < count; i++) {
    passes = draw(model.length * ((i * 0.618034) % 1), side);
    const files = Object.entries(passes).map(([pass, array]) => [pass, new Uint8Array(array.buffer)]);
    bytes += zipSync(Object.fromEntries(files), { level: 1 }).length;
  }
  const joints = new Set(passes.joint);
  return { ms: performance.now() - begin, bytes: bytes / count, covered: passes.node.filter((node) => node >= 0).length,
    joints: joints.size, shown: passes.color.filter((value, i) => i % 4 === 3 && value > 0).length,
    nearest: passes.depth.reduce((least, depth) => Math.min(least, depth), Infinity) };
};
window.isReady = true;
`;

await answerLines(SCRIPT, (page, fields) => page.evaluate((all) => window.drawAll(all), fields));
