// three_poses.mjs MODEL CLIP TIME... - prints three.js' world matrices of MODEL's nodes as JSON: {"nodes": [...], "frames": [[16 numbers]...]}.
// CLIP is an index among the file's clips or "-"; times are on the file's time line. Nodes are indices in glTF, else names.
// Runs in a folder whose node_modules has three and jsdom (`make refs` makes it). Scene space is the file's own.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const load = async (name) => import(pathToFileURL(path.join(process.cwd(), 'node_modules', name)));
const { JSDOM } = require('jsdom');
const window = new JSDOM('').window;
Object.assign(globalThis, { self: globalThis, window: globalThis, document: window.document, DOMParser: window.DOMParser, ProgressEvent: window.ProgressEvent });
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};

const THREE = await load('three/build/three.module.js');
THREE.TextureLoader.prototype.load = () => new THREE.Texture();

async function gltf(bytes, folder) {
    const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
    const loader = new GLTFLoader();
    let parser;
    loader.register((p) => {
        parser = p;
        const loadBuffer = p.loadBuffer.bind(p);
        p.loadBuffer = (index) => {
            const uri = p.json.buffers[index].uri;
            if (uri === undefined) return loadBuffer(index);
            const data = Buffer.from(uri.split(',')[1], 'base64');
            return Promise.resolve(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
        };
        return { name: 'without pictures', loadTexture: () => Promise.resolve(new THREE.Texture()) };
    });
    const { scene, animations } = await new Promise((done, failed) => loader.parse(bytes, folder, done, failed));
    const found = new Map();
    scene.traverse((object) => {
        const of = parser.associations.get(object);
        if (of && of.nodes !== undefined && !found.has(of.nodes)) found.set(of.nodes, object);
    });
    return { scene, animations, found };
}

function named(scene, animations) {
    const found = new Map();
    scene.traverse((object) => {
        const name = object.userData.originalName || object.name;
        if (object !== scene && name && !found.has(name)) found.set(name, object);
    });
    return { scene, animations, found };
}

async function other(file, bytes) {
    const text = () => new TextDecoder().decode(bytes);
    switch (path.extname(file)) {
        case '.fbx': {
            const { FBXLoader } = await load('three/examples/jsm/loaders/FBXLoader.js');
            const scene = new FBXLoader().parse(bytes, '');
            return named(scene, scene.animations);
        }
        case '.dae': {
            const { ColladaLoader } = await load('three/examples/jsm/loaders/ColladaLoader.js');
            const { scene } = new ColladaLoader().parse(text(), '');
            scene.rotation.set(0, 0, 0);
            scene.scale.set(1, 1, 1);
            return named(scene, scene.animations);
        }
        case '.bvh': {
            const { BVHLoader } = await load('three/examples/jsm/loaders/BVHLoader.js');
            const { skeleton, clip } = new BVHLoader().parse(text());
            const scene = new THREE.Group();
            scene.add(skeleton.bones[0]);
            return named(scene, [clip]);
        }
    }
    throw new Error('no loader for ' + file);
}

const [file, clip, ...times] = process.argv.slice(2);
const data = fs.readFileSync(file);
const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
const { scene, animations, found } = await (/\.gl(tf|b)$/.test(file) ? gltf(bytes, '') : other(file, bytes));
const mixer = new THREE.AnimationMixer(scene);
if (clip !== '-') {
    const action = mixer.clipAction(animations[Number(clip)]);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
}
const frames = times.map((time) => {
    if (clip !== '-') mixer.setTime(Number(time));
    scene.updateMatrixWorld(true);
    return [...found.values()].map((object) => object.matrixWorld.elements.slice());
});
process.stdout.write(JSON.stringify({ version: THREE.REVISION, clips: animations.map((one) => one.name), nodes: [...found.keys()], frames }));
