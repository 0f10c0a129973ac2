/** The panels of materials and textures. A texture is requested when its panel is first opened, and shown from memory, because its address
 * has no token. */
import { make } from '../common/dom.js';
import { getPatiently, link } from '../common/http.js';

const SVG = 'http://www.w3.org/2000/svg';
const byte = (linear) => Math.round(255 * Math.min(1, linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
const hex = (color) => '#' + color.slice(0, 3).map((c) => byte(Math.max(0, c)).toString(16).padStart(2, '0')).join('');

function swatch(color) {
  const svg = document.createElementNS(SVG, 'svg'), circle = document.createElementNS(SVG, 'circle');
  svg.setAttribute('class', 'swatch');
  svg.setAttribute('viewBox', '0 0 10 10');
  svg.setAttribute('aria-hidden', 'true');
  for (const [name, value] of Object.entries({ cx: 5, cy: 5, r: 3.6, fill: hex(color), 'fill-opacity': color[3] ?? 1 })) circle.setAttribute(name, value);
  svg.append(circle);
  return svg;
}

const percent = (value) => Math.round(value * 100) + '\u00a0%';

function materialText(material) {
  const words = [];
  if (material.unlit) words.push('unlit');
  else words.push(`metallic ${percent(material.metallic)}`, `roughness ${percent(material.roughness)}`);
  if (material.alpha_mode && material.alpha_mode !== 'opaque') words.push(material.alpha_mode === 'mask' ? 'masked' : 'transparent');
  if (material.double_sided) words.push('double-sided');
  return words.join(' · ');
}

/** The thumbnails of a document: one request for each texture. */
export class Thumbnails {
  constructor(model) { Object.assign(this, { model, known: new Map(), abort: new AbortController() }); }

  /** An <img> that shows texture `index` when it has arrived. */
  image(index, label) {
    const image = make('img', { class: 'thumb', alt: label, width: 54, height: 54 });
    if (!this.known.has(index)) {
      this.known.set(index, getPatiently(link('v1/texture', { model: this.model, texture: index }), this.abort.signal)
        .then((response) => response.blob()).then((blob) => URL.createObjectURL(blob)));
    }
    this.known.get(index).then((url) => { image.src = url; }, () => { image.alt = label + ' (not available)'; });
    return image;
  }

  forget() {
    this.abort.abort();
    for (const url of this.known.values()) url.then((text) => URL.revokeObjectURL(text), () => {});
  }
}

/** @returns {HTMLElement} the list of materials */
export function materialsBody(model) {
  return make('div', { class: 'body' }, make('ul', { class: 'cards' }, ...model.materials.map((material) => make('li', {}, swatch(material.base_color),
    make('div', { class: 'words' }, make('div', {}, material.name || 'material ' + material.index), make('div', { class: 'soft' }, materialText(material)),
      make('div', { class: 'soft' }, Object.entries(material.textures || {}).map(([slot, use]) => `${slot.replaceAll('_', ' ')} ${use.texture}`).join(', ')))))));
}

/** @returns {HTMLElement} the list of textures, empty until fill() is called */
export function texturesBody(model, thumbnails) {
  const list = make('ul', { class: 'cards' });
  const body = make('div', { class: 'body' }, list);
  body.fill = () => {
    if (list.firstChild) return;
    list.append(...model.textures.map((texture) => {
      const name = texture.uri || texture.name || 'texture ' + texture.index;
      const isThere = texture.state === 'found';
      return make('li', {}, isThere ? thumbnails.image(texture.index, name) : make('span', { class: 'thumb' }),
        make('div', { class: 'words' }, make('div', {}, name),
          make('div', { class: isThere ? 'soft numbers' : 'error' }, isThere ? `${texture.width} × ${texture.height} · ${texture.content === 'data' ? 'numbers' : 'colours'}` : texture.state)));
    }));
  };
  return body;
}
