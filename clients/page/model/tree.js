/** The nodes of a model as a tree (https://www.w3.org/WAI/ARIA/apg/patterns/treeview/). Children are made when they are first shown. */
import { make } from '../common/dom.js';

const DEPTH_MAX = 12; // deeper ones have the same indentation
const OPEN_MAX = 60;  // nodes that are shown from the start
const FOUND_MAX = 300;

export class Tree {
  /** @param {{onChoose: function(number)}} options onChoose receives the index of the chosen node */
  constructor({ onChoose }) {
    this.onChoose = onChoose;
    this.node = make('ul', { class: 'tree', role: 'tree', 'aria-label': 'Nodes', onclick: (event) => this.onClick(event), onkeydown: (event) => this.onKey(event) });
    this.search = make('input', { type: 'search', placeholder: 'Search nodes', 'aria-label': 'Search nodes', oninput: () => this.fill() });
    this.nodes = [];
    this.chosen = null;
  }

  /** @param {Object[]} nodes of /v1/model  @param {Set<number>} joints indices of nodes that are joints */
  setNodes(nodes, joints) {
    this.nodes = nodes.map((node) => ({ ...node, children: [], isJoint: joints.has(node.node), isOpen: false }));
    this.byIndex = new Map(this.nodes.map((node) => [node.node, node]));
    this.roots = [];
    for (const node of this.nodes) {
      const parent = this.byIndex.get(node.parent);
      (parent && parent !== node ? parent.children : this.roots).push(node);
    }
    // Breadth first, until the limit of rows.
    let shown = this.roots.length;
    for (const queue = [...this.roots]; queue.length && shown < OPEN_MAX;) {
      const node = queue.shift();
      if (shown + node.children.length > OPEN_MAX) continue;
      node.isOpen = true;
      shown += node.children.length;
      queue.push(...node.children);
    }
    this.search.hidden = nodes.length < 12;
    this.fill();
  }

  fill() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? this.nodes.filter((node) => words.every((word) => (node.name || '').toLowerCase().includes(word))).slice(0, FOUND_MAX) : null;
    this.node.replaceChildren(...(found || this.roots).map((node) => this.item(node, 0, !found)));
    const first = this.node.querySelector('[aria-selected=true]') || this.node.firstElementChild;
    if (first) first.tabIndex = 0;
  }

  item(node, depth, isDeep) {
    const hasChildren = isDeep && node.children.length > 0;
    const kind = node.mesh !== null && node.mesh !== undefined ? 'mesh' : node.isJoint ? '' : 'node';
    const item = make('li', { role: 'treeitem', tabindex: -1, 'aria-level': depth + 1, 'aria-selected': String(node.node === this.chosen), 'aria-expanded': hasChildren ? String(node.isOpen) : null,
      'data-node': node.node, 'data-depth': depth },
    make('div', { class: `row depth-${Math.min(depth, DEPTH_MAX)}` },
      make('span', { class: 'twist', 'aria-hidden': 'true' }, hasChildren ? (node.isOpen ? '▾' : '▸') : ''),
      make('span', { class: 'word', title: node.name || '' }, node.name || 'node ' + node.node), kind ? make('span', { class: 'soft' }, kind) : null));
    if (hasChildren && node.isOpen) item.append(this.group(node, depth));
    return item;
  }

  group(node, depth) { return make('ul', { role: 'group' }, ...node.children.map((child) => this.item(child, depth + 1, true))); }

  toggle(item, isOpen) {
    const node = this.byIndex.get(+item.dataset.node);
    if (!item.hasAttribute('aria-expanded') || node.isOpen === isOpen) return false;
    node.isOpen = isOpen;
    item.setAttribute('aria-expanded', String(isOpen));
    item.querySelector('.twist').textContent = isOpen ? '▾' : '▸';
    if (isOpen) item.append(this.group(node, +item.dataset.depth));
    else item.querySelector('[role=group]').remove();
    return true;
  }

  /** Marks a node and opens its ancestors; null: none. */
  choose(index) {
    this.chosen = index;
    for (const item of this.node.querySelectorAll('[aria-selected=true]')) item.setAttribute('aria-selected', 'false');
    if (index === null || !this.byIndex) return;
    if (!this.find(index) && !this.search.value) {
      for (let node = this.byIndex.get(index), i = 0; node && i < this.nodes.length; node = this.byIndex.get(node.parent), i++) if (node.node !== index) node.isOpen = true;
      this.fill();
    }
    const item = this.find(index);
    if (!item) return;
    item.setAttribute('aria-selected', 'true');
    this.rove(item, false);
    const row = item.firstElementChild, box = this.node.getBoundingClientRect(), at = row.getBoundingClientRect();
    if (at.top < box.top || at.bottom > box.bottom) this.node.scrollTop += at.top - box.top - box.height / 2;
  }

  find(index) { return this.node.querySelector(`[data-node="${index}"]`); }

  rove(item, isFocused = true) {
    for (const other of this.node.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    item.tabIndex = 0;
    if (isFocused) item.focus();
  }

  onClick(event) {
    const item = event.target.closest('[role=treeitem]');
    if (!item) return;
    this.rove(item);
    if (event.target.closest('.twist') && this.toggle(item, item.getAttribute('aria-expanded') !== 'true')) return;
    this.onChoose(+item.dataset.node);
  }

  onKey(event) {
    const item = event.target.closest('[role=treeitem]');
    const items = [...this.node.querySelectorAll('[role=treeitem]')];
    const at = items.indexOf(item);
    let next = null, isOurs = true;
    if (event.key === 'ArrowDown') next = items[at + 1];
    else if (event.key === 'ArrowUp') next = items[at - 1];
    else if (event.key === 'Home') next = items[0];
    else if (event.key === 'End') next = items[items.length - 1];
    else if (event.key === 'ArrowRight') { if (!this.toggle(item, true)) next = item.querySelector('[role=treeitem]'); }
    else if (event.key === 'ArrowLeft') { if (!this.toggle(item, false)) next = item.parentElement.closest('[role=treeitem]'); }
    else if (event.key === 'Enter' || event.key === ' ') this.onChoose(+item.dataset.node);
    else isOurs = false;
    if (!isOurs) return;
    event.preventDefault();
    event.stopPropagation();
    if (next) this.rove(next);
  }
}
