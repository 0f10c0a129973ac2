// The page three.html shows one model. three.js loads the file, and posed streams its moves.
// ?server=http://127.0.0.1:7878 &model=robot.glb &file=URL of the same file &clip=walk &t=0.3 (stands still there)
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Client } from 'posed';
import { PosedSkeletons } from './posed_skeleton.js';

const RATE = 60; // frames a second
const asked = new URLSearchParams(location.search);
const model = asked.get('model') ?? 'robot.glb';
const still = asked.has('t') ? Number(asked.get('t')) : null;
const element = (id) => document.getElementById(id);

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
const controls = new OrbitControls(camera, renderer.domElement);

function fit(box) {
  const { center, radius } = box.getBoundingSphere(new THREE.Sphere());
  camera.position.copy(center).add(new THREE.Vector3(0.5, 0.25, 1).normalize().multiplyScalar(radius / Math.sin(Math.PI / 12)));
  camera.near = radius / 100;
  camera.far = radius * 100;
  controls.target.copy(center);
  controls.update();
}

function resize() {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}

async function start() {
  document.body.append(renderer.domElement);
  addEventListener('resize', resize);
  resize();
  scene.background = new THREE.Color(0xeef1f5);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d8d, 2.5));
  const sun = new THREE.DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(sun);

  const posed = new Client(asked.get('server') ?? 'http://127.0.0.1:7878');
  const link = await posed.connect();
  const [gltf, robot, info] = await Promise.all([
    new GLTFLoader().loadAsync(asked.get('file') ?? '../../../build/samples/' + model), link.open(model), posed.model(model).info()]);
  scene.add(gltf.scene);
  const driver = new PosedSkeletons(gltf);

  let stream = null;
  const play = async (clip) => {
    await stream?.return();
    stream = await robot.stream('palette', { clip }, { rate: RATE, position: still ?? 0, paused: still !== null });
    if (still !== null) await stream.seek(still);
  };
  element('clip').append(...info.clips.map(({ index, name }) => new Option(name ?? `clip ${index}`, String(index))));
  const first = info.clips.find(({ name }) => name === asked.get('clip')) ?? info.clips[0];
  element('clip').value = String(first.index);
  element('clip').onchange = () => play(Number(element('clip').value));
  element('pause').onclick = async () => {
    const isPaused = element('pause').textContent === 'Pause';
    await (isPaused ? stream.pause() : stream.resume());
    element('pause').textContent = isPaused ? 'Play' : 'Pause';
  };
  element('speed').oninput = () => stream.setSpeed(Number(element('speed').value));
  await play(first.index);

  let isFramed = false;
  renderer.setAnimationLoop(() => {
    const frame = stream.latest();
    if (frame) {
      driver.apply(frame.frames, 0, info);
      if (!isFramed) fit(new THREE.Box3().setFromObject(gltf.scene, true));
      isFramed = true;
      element('time').textContent = `${frame.frames.clipTime().toFixed(2)} s`;
      document.body.dataset.ticks = frame.tick + 1;
    }
    if (isFramed) renderer.render(scene, camera);
  });
  Object.assign(globalThis, { example: { THREE, GLTFLoader, renderer, scene, camera, gltf, robot } }); // for the browser's console
}

start().catch((error) => {
  element('error').textContent = error.message;
  throw error;
});
