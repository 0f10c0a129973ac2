/** The panel of facts about a model: counts, file, warnings. */
import { make } from '../common/dom.js';
import { bytesText, countText } from '../common/format.js';

const NOT_SAID = 'not said'; // by the file
const axis = (vector) => vector ? vector.map((n, i) => Math.abs(n) > 0.5 ? (n < 0 ? '−' : '+') + 'XYZ'[i] : '').join('') || '?' : NOT_SAID;
const unitText = (unit_m) => (unit_m === null ? NOT_SAID
  : { 1: 'metres', 0.01: 'centimetres', 0.001: 'millimetres', 0.0254: 'inches', 0.3048: 'feet' }[+(+unit_m).toFixed(6)] || unit_m + ' m');
const sizeText = ({ min, max }, unit_m) => min && max
  ? min.map((low, i) => +((max[i] - low) * (unit_m || 1)).toPrecision(3)).join(' × ') + (unit_m === null ? ' units' : ' m') : '';

/** The number of joints in skins that deform, which people call joints. A mesh that only moves with its node has a skin too. */
export const jointCount = (model) => model.counts && model.counts.joints !== undefined ? model.counts.joints
  : (model.skins || []).reduce((sum, skin) => sum + (skin.rigid ? 0 : skin.joints.length), 0);

export function factsLine(model) {
  const { counts } = model;
  return [countText(counts.triangles, 'triangle'), countText(jointCount(model), 'joint'), countText(model.clips.length, 'clip'), model.format].filter(Boolean).join(' · ');
}

export function factsBody(model) {
  const { counts, files = [] } = model;
  const bytes = files.reduce((sum, file) => sum + (file.bytes || 0), 0);
  const rows = [
    ['Format', [model.format, model.generator && 'by ' + model.generator].filter(Boolean).join(', ')],
    ['Size', model.bounds ? sizeText(model.bounds, model.unit_m) : ''], ['Unit', unitText(model.unit_m)], ['Up', axis(model.up)],
    ['Triangles', counts.triangles.toLocaleString('en')], ['Vertices', counts.vertices.toLocaleString('en')],
    ['Nodes', counts.nodes.toLocaleString('en')], ['Joints', jointCount(model).toLocaleString('en')],
    ['Files', files.map((file) => file.path + (file.missing ? ' (missing)' : '')).slice(0, 12).join(', ') + (files.length > 12 ? `, and ${files.length - 12} more` : '')],
    ['On disk', bytes ? bytesText(bytes) : ''],
  ];
  return make('div', { class: 'body' }, make('dl', { class: 'facts numbers' }, ...rows.filter(([, value]) => value).flatMap(([word, value]) => [make('dt', {}, word), make('dd', {}, value)])));
}

/** Sentences about parts of the file that are not shown exactly, or exceed a limit. */
export function warningsBody(model) {
  return make('div', { class: 'body' }, make('ul', { class: 'warnings' }, ...model.warnings.map((warning) => make('li', {},
    typeof warning === 'string' ? warning : warning.message || warning.text || warning.code))));
}
