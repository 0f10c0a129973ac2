// Client of posed, a headless animation server. README.md is the introduction; posed.d.ts documents every signature. Runs in
// browsers and in Node 18 and later, without dependencies.
export { Client } from './client.js';
export { Link, LinkedModel } from './link.js';
export { Answer, Model, Picture } from './model.js';
export { Stream, Watch } from './stream.js';
export { Frames } from './frames.js';
export { givenPose, poseOf } from './pose.js';
export { Entities } from './crowd.js';
export { Hits } from './raycast.js';
export { PosedError } from './errors.js';
