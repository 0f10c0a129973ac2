// Client of posed, a headless animation server. README.md beside this file begins at the beginning; posed.d.ts has every
// signature with its meaning. Runs in browsers and in Node 18 and later, and needs nothing else.
export { Client } from './client.js';
export { Link, LinkedModel } from './link.js';
export { Answer, Model, Picture } from './model.js';
export { Stream, Watch } from './stream.js';
export { Frames } from './frames.js';
export { PosedError } from './errors.js';
