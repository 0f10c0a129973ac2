// Pointers on the canvas: drag turns, two fingers, the right button or Shift move, wheel and pinch zoom, a click picks, a double
// click focuses.

const DEGREES_PER_HEIGHT = 180; // of a drag over the height of the picture
const WHEEL = 0.0015; // change of the logarithm of the distance for each pixel
const LINE_PIXELS = 16, CLICK_PIXELS = 4;

export class Controls {
  #canvas;
  #act;
  #pointers = new Map(); // id: {x, y}
  #moved = 0;
  #abort = new AbortController();

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{orbit: Function, pan: Function, zoom: Function, focus: Function, pick: Function, hover: Function}} act what to do; places are
   *   shares of the canvas
   */
  constructor(canvas, act) {
    this.#canvas = canvas;
    this.#act = act;
    canvas.style.touchAction = 'none';
    const on = (type, handler, options = {}) => canvas.addEventListener(type, handler, { ...options, signal: this.#abort.signal });
    on('pointerdown', (event) => this.#down(event));
    on('pointermove', (event) => this.#move(event));
    on('pointerup', (event) => { if (event.button === 0 && this.#pointers.size === 1 && this.#moved < CLICK_PIXELS) this.#act.pick(this.#place(event)); });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture']) on(type, (event) => this.#pointers.delete(event.pointerId));
    on('pointerleave', () => this.#act.hover(null));
    on('wheel', (event) => this.#wheel(event), { passive: false });
    on('dblclick', (event) => { if (this.#moved < CLICK_PIXELS) this.#act.focus(this.#place(event)); });
    on('contextmenu', (event) => event.preventDefault());
  }

  #place({ clientX, clientY }) {
    const box = this.#canvas.getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  }

  #down(event) {
    this.#canvas.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 0) this.#moved = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') this.#act.hover(this.#place(event));
      return;
    }
    const spread = this.#spread();
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    Object.assign(before, { x: event.clientX, y: event.clientY });
    this.#moved += Math.abs(dx) + Math.abs(dy);
    const { height } = this.#canvas.getBoundingClientRect();
    if (this.#pointers.size > 1) {
      const now = this.#spread();
      if (spread > 0 && now > 0) this.#act.zoom(spread / now);
      this.#act.pan(-dx / height / this.#pointers.size, dy / height / this.#pointers.size);
    } else if (event.buttons & 6 || event.shiftKey) {
      this.#act.pan(-dx / height, dy / height);
    } else {
      this.#act.orbit(-DEGREES_PER_HEIGHT * dx / height, DEGREES_PER_HEIGHT * dy / height);
    }
  }

  // The distance between the first two pointers.
  #spread() {
    const [a, b] = [...this.#pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE_PIXELS : event.deltaMode === 2 ? 400 : 1;
    const pixels = Math.min(Math.max(event.deltaY * unit, -400), 400);
    this.#act.zoom(Math.exp(WHEEL * pixels * (event.ctrlKey ? 4 : 1)));
  }

  dispose() {
    this.#abort.abort();
  }
}
