/**
 * A window on a long list. Of ten thousand items the page contains only those in view, at their places in a box with the height of all.
 *
 * Items have their number and the number of all items (aria-posinset, aria-setsize). One of them is in the order of Tab; arrow keys, Page
 * Up, Page Down, Home and End lead from it to the others.
 */
const GAP = 14, NARROW = 640, LEAST = { narrow: 148, wide: 216 }, TEXT_HEIGHT = 62;
const BESIDE_ROWS = 1;       // rows above and below the view

export class Window {
  /**
   * @param {HTMLElement} box the list
   * @param {Object} maker
   *   make(item)          a node for an item
   *   drop(node)          the node goes
   *   keyOf(item)         what stays the same when the list changes
   *   onLayout(side_px)   pictures have this side in CSS pixels
   */
  constructor(box, maker) {
    this.box = box;
    this.maker = maker;
    this.items = [];
    this.nodes = new Map(); // by key
    this.active = 0;        // the item in the order of Tab
    this.frame = 0;
    const ask = () => this.ask();
    addEventListener('scroll', ask, { passive: true });
    new ResizeObserver(ask).observe(box);
    addEventListener('resize', ask);
    box.addEventListener('keydown', (event) => this.onKey(event));
    box.addEventListener('focusin', ({ target }) => {
      const node = target.closest('li');
      if (node && this.active !== node.index) { this.active = node.index; this.order(); }
    });
  }

  ask() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.render(); });
  }

  set(items) {
    const focused = document.activeElement && this.box.contains(document.activeElement) ? document.activeElement.closest('li').key : null;
    this.items = items;
    const index = focused === null ? -1 : items.findIndex((item) => this.maker.keyOf(item) === focused);
    this.active = index >= 0 ? index : Math.min(this.active, Math.max(0, items.length - 1));
    this.render();
  }

  layout() {
    const width = this.box.clientWidth, least = innerWidth < NARROW ? LEAST.narrow : LEAST.wide;
    this.columns = Math.max(1, Math.floor((width + GAP) / (least + GAP)));
    this.side = Math.floor((width - GAP * (this.columns - 1)) / this.columns);
    this.rowHeight = this.side + TEXT_HEIGHT + GAP;
    this.maker.onLayout(this.side);
  }

  render() {
    if (!this.box.clientWidth) return;
    this.layout();
    const rows = Math.ceil(this.items.length / this.columns);
    this.box.style.height = Math.max(0, rows * this.rowHeight - GAP) + 'px';
    const top = -this.box.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - BESIDE_ROWS) * this.columns;
    const last = Math.min(this.items.length, (Math.floor((top + innerHeight) / this.rowHeight) + 1 + BESIDE_ROWS) * this.columns);
    const wanted = new Map();
    for (let i = first; i < last; i++) wanted.set(this.maker.keyOf(this.items[i]), i);
    const { activeElement } = document;
    if (activeElement && this.box.contains(activeElement) && this.items[this.active]) { // scrolling must not lose the focus
      wanted.set(this.maker.keyOf(this.items[this.active]), this.active);
    }
    for (const [key, node] of this.nodes) if (!wanted.has(key)) this.drop(key, node);
    for (const [key, i] of wanted) this.place(key, i);
    this.order();
    if (this.onRender) this.onRender();
  }

  drop(key, node) {
    this.maker.drop(node);
    node.remove();
    this.nodes.delete(key);
  }

  place(key, i) {
    let node = this.nodes.get(key);
    if (!node) {
      node = this.maker.make(this.items[i]);
      node.key = key;
      this.nodes.set(key, node);
    }
    if (!node.parentNode || node.index !== i) { // in the order of the list, for screen readers and Tab
      node.index = i;
      const next = [...this.box.children].find((other) => other !== node && other.index > i) || null;
      if (node.nextSibling !== next || !node.parentNode) this.box.insertBefore(node, next);
    }
    const row = Math.floor(i / this.columns), column = i % this.columns;
    node.style.width = this.side + 'px';
    node.style.height = this.side + TEXT_HEIGHT + 'px';
    node.style.transform = `translate(${column * (this.side + GAP)}px, ${row * this.rowHeight}px)`;
    node.setAttribute('aria-posinset', i + 1);
    node.setAttribute('aria-setsize', this.items.length);
  }

  /** Tab reaches one item: the active one, or the first in view if that is out of view. */
  order() {
    let stop = null;
    for (const node of this.nodes.values()) {
      if (node.index === this.active) stop = node;
      else if (!stop) stop = null;
    }
    if (!stop) for (const node of this.nodes.values()) if (!stop || node.index < stop.index) stop = node;
    for (const node of this.nodes.values()) {
      for (const part of node.querySelectorAll('a, button')) part.tabIndex = node === stop ? 0 : -1;
    }
  }

  /** Brings an item into view and gives it the focus. */
  go(index) {
    if (!this.items.length) return;
    this.active = Math.max(0, Math.min(this.items.length - 1, index));
    const box = this.box.getBoundingClientRect(), header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const top = box.top + Math.floor(this.active / this.columns) * this.rowHeight;
    if (top < header + 8) scrollBy(0, top - header - 8);
    else if (top + this.rowHeight > innerHeight) scrollBy(0, top + this.rowHeight - innerHeight + 8);
    this.render();
    const key = this.maker.keyOf(this.items[this.active]);
    if (!this.nodes.has(key)) { this.place(key, this.active); this.order(); }
    this.nodes.get(key).querySelector('a').focus({ preventScroll: true });
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const inView = Math.max(1, Math.floor(innerHeight / this.rowHeight)) * this.columns;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, PageDown: inView, PageUp: -inView,
      Home: -Infinity, End: Infinity }[event.key];
    if (!step || !event.target.closest('li')) return;
    event.preventDefault();
    this.go(this.active + step);
  }
}
