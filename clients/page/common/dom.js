/** Makes elements. Everything that comes from a model goes into a page as text, never as markup. */

export const byId = (id) => document.getElementById(id);

/**
 * Makes an element: make('button', {class: 'tool', type: 'button', 'aria-label': 'Play', onclick: play}, 'Play'). Members that begin with
 * "on" become listeners, `hidden`, `disabled`, `checked`, `selected`, `value` become properties, the others attributes. null and false
 * leave an attribute out. Children are nodes or texts.
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (['hidden', 'disabled', 'checked', 'selected', 'value'].includes(name)) node[name] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an icon of 24 x 24 units from the path data of its strokes. Screen readers do not see it. */
export function icon(...paths) {
  const svg = document.createElementNS(SVG, 'svg');
  for (const [name, value] of Object.entries({ viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true', focusable: 'false' })) svg.setAttribute(name, value);
  for (const d of paths) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}
