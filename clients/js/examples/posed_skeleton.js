// Moves what GLTFLoader of three.js loaded by palettes of posed, instead of an AnimationMixer.
//
//   const gltf = await new GLTFLoader().loadAsync('robot.glb');
//   const driver = new PosedSkeletons(gltf);
//   driver.apply(await posed.model('robot.glb').palette({ clip: 'walk', t: 0.3 }));
//
// posed's palette has `scene_from_joint * joint_from_bind` for every joint of a skin, in the order of the file's skin. three.js calls this
// `bone.matrixWorld * boneInverse`, if gltf.scene is at the origin. Otherwise it is multiplied by the matrixWorld of gltf.scene. Bones get a
// matrixWorld as well, so that objects attached to them move along. Morph targets are not in a palette: they stay unchanged. Nothing is
// imported: matrices belong to the three.js that loaded the file.
const FLOATS = 16; // layout mat4

export class PosedSkeletons {
  #scene;
  #skins = new Map(); // index of the skin in the file: [{skeleton, bind_from_joint}]
  #rigid = []; // [{object, node}]: meshes without a skin, which move with their node
  #scene_from_bind;

  constructor(gltf) {
    this.#scene = gltf.scene;
    this.#scene_from_bind = gltf.scene.matrixWorld.clone();
    const { associations, json } = gltf.parser;
    gltf.scene.traverse((object) => {
      if (!object.isMesh) return;
      let owner = object; // the node of a mesh with several parts is the group around them
      while (associations.get(owner)?.nodes === undefined) owner = owner.parent;
      const node = associations.get(owner).nodes;
      object.frustumCulled = false; // its bounds are for the rest pose
      if (object.isSkinnedMesh) this.#addSkin(json.nodes[node].skin, object.skeleton);
      else this.#rigid.push({ object: owner, node });
    });
    for (const { object } of this.#rigid) hold(object);
  }

  #addSkin(skin, skeleton) {
    const same = this.#skins.get(skin) ?? [];
    if (same.some((one) => one.skeleton === skeleton)) return;
    skeleton.bones.forEach(hold);
    // The renderer calls this before it draws. `apply` has set boneMatrices.
    skeleton.update = () => { if (skeleton.boneTexture !== null) skeleton.boneTexture.needsUpdate = true; };
    same.push({ skeleton, bind_from_joint: skeleton.boneInverses.map((inverse) => inverse.clone().invert()) });
    this.#skins.set(skin, same);
  }

  // `frames` is a palette in the layout mat4 of all skins. `info`, of the model, is needed if meshes without a skin move.
  apply(frames, frame = 0, info = null) {
    if (frames.layout !== 'mat4') throw new Error('three.js takes mat4');
    this.#scene.updateWorldMatrix(true, false);
    const { matrixWorld } = this.#scene;
    for (const [skin, skeletons] of this.#skins) {
      const palette = frames.palette(frame, skin);
      for (const { skeleton, bind_from_joint } of skeletons) {
        skeleton.bones.forEach((bone, joint) => {
          this.#scene_from_bind.fromArray(palette, FLOATS * joint).premultiply(matrixWorld);
          this.#scene_from_bind.toArray(skeleton.boneMatrices, FLOATS * joint);
          bone.matrixWorld.multiplyMatrices(this.#scene_from_bind, bind_from_joint[joint]);
          bone.matrixWorldNeedsUpdate = true; // objects attached to it have to be updated
        });
        if (skeleton.boneTexture !== null) skeleton.boneTexture.needsUpdate = true;
      }
    }
    for (const { object, node } of this.#rigid) {
      const skin = info?.skins.find((one) => one.rigid && one.joints[0].node === node);
      if (!skin) continue;
      object.matrixWorld.fromArray(frames.palette(frame, skin.index)).premultiply(matrixWorld);
      object.matrixWorldNeedsUpdate = true;
    }
  }
}

// Its matrixWorld is set from outside.
function hold(object) {
  object.matrixAutoUpdate = false;
  object.matrixWorldAutoUpdate = false;
}
