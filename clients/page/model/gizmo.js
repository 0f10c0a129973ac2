/** Three rings over the chosen joint, in the live view. Dragging one changes the degrees about that axis. */
const AXES = ['x', 'y', 'z'];
const RADIUS = 0.13; // of the picture's height
const SAMPLES = 360; // one for each degree
const REACH = 60; // degrees that a ring may turn between two events
const KEY_DEG = 1, SHIFT_DEG = 10;
const SVG = 'http://www.w3.org/2000/svg';
const RADIANS = Math.PI / 180;

const folded = (degrees) => ((degrees + 180) % 360 + 360) % 360 - 180;
const clampedTurn = (degrees) => Math.abs(degrees) > 180 ? folded(degrees) : degrees;

/** A point turned about an axis, from the next axis to the one after it. */
function turned(point, axis, degrees) {
  const [c, s] = [Math.cos(degrees * RADIANS), Math.sin(degrees * RADIANS)], [b, d] = [(axis + 1) % 3, (axis + 2) % 3];
  const out = [...point];
  out[b] = c * point[b] - s * point[d];
  out[d] = s * point[b] + c * point[d];
  return out;
}

/** A point of the ring about an axis, in the axes of the joint at rest. The turns about later axes turn the ring too. */
function ringPoint(axis, phi, degrees) {
  let point = turned([axis === 2 ? 1 : 0, axis === 0 ? 1 : 0, axis === 1 ? 1 : 0], axis, phi);
  for (let later = axis + 1; later < 3; later++) point = turned(point, later, degrees[later]);
  return point;
}

/** The place of a point in axes (mat3x4, without its scale), at a distance from its origin. */
const placed = (m, point, radius) => [0, 1, 2].map((r) => m[4 * r + 3] + radius * [0, 1, 2].reduce((sum, c) => sum + point[c] * m[4 * r + c] / (Math.hypot(m[c], m[4 + c], m[8 + c]) || 1), 0));

export class Gizmo {
  /** @param {SVGElement} svg lies over the canvas @param {function(number[]|null, boolean)} turn receives the degrees, null: as it was, and whether they will change again at once */
  constructor(svg, turn) {
    Object.assign(this, { svg, turn, joint: null, viewer: null, axes: null });
    this.rings = AXES.map((axis, i) => {
      const path = (kind) => { const node = document.createElementNS(SVG, 'path'); node.setAttribute('class', kind); return node; };
      const group = document.createElementNS(SVG, 'g'), ring = { axis: i, group, paths: [path('halo'), path('ring'), path('grip')], points: [] };
      for (const [name, value] of Object.entries({ class: 'axis-' + axis, role: 'slider', tabindex: 0, 'aria-valuemin': -180, 'aria-valuemax': 180 })) group.setAttribute(name, value);
      group.append(...ring.paths);
      group.addEventListener('pointerdown', (event) => this.grab(ring, event));
      group.addEventListener('pointermove', (event) => this.drag(ring, event));
      for (const type of ['pointerup', 'pointercancel']) group.addEventListener(type, () => this.drop());
      group.addEventListener('keydown', (event) => this.onKey(ring, event));
      return ring;
    });
    svg.append(...this.rings.map(({ group }) => group));
    new ResizeObserver(() => this.draw()).observe(svg);
  }

  /**
   * Shows the rings of a joint.
   * @param {Object|null} viewer that draws; null: no rings
   * @param {{node: number, name: string, isTurned: boolean, degrees: number[], others: string[]}|null} joint with the turns of the other joints
   */
  show(viewer, joint) {
    this.viewer = viewer;
    this.joint = viewer && joint;
    if (!this.joint) { this.axes = null; this.drop(); this.draw(); return; }
    if (this.shown !== joint.node) { this.axes = null; this.drop(); }
    this.shown = joint.node;
    this.draw();
    this.look();
  }

  /** Asks where the joint is, one request at a time. */
  async look() {
    const { viewer, joint } = this, key = joint && JSON.stringify([joint.node, joint.others, viewer.moment]);
    if (!joint || this.isBusy || (this.axes && key === this.key)) return;
    this.isBusy = true;
    const axes = await viewer.restOf(joint.node, joint.others).catch(() => null);
    this.isBusy = false;
    if (this.joint?.node === joint.node && this.viewer === viewer) {
      this.axes = axes;
      this.key = key;
      this.draw();
    }
    if (axes) this.look(); // it may be elsewhere by now
  }

  draw() {
    const { viewer, joint, axes } = this, isShown = Boolean(joint && axes && viewer.see([axes[3], axes[7], axes[11]]));
    this.svg.toggleAttribute('hidden', !isShown);
    if (!isShown) return;
    const { clientWidth: width, clientHeight: height } = this.svg, radius = RADIUS * viewer.heightAt([axes[3], axes[7], axes[11]]);
    for (const ring of this.rings) {
      const { axis, group, paths } = ring;
      ring.points = Array.from({ length: SAMPLES }, (_, phi) => viewer.see(placed(axes, ringPoint(axis, phi, joint.degrees), radius)) ?? [0, 0]).map(([x, y]) => [x * width, y * height]);
      const d = 'M' + ring.points.filter((_, i) => i % 5 === 0).map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L') + 'Z';
      for (const path of paths) path.setAttribute('d', d);
      group.setAttribute('aria-label', `Turn ${joint.name} about ${AXES[axis]}`);
      group.setAttribute('aria-valuenow', clampedTurn(joint.degrees[axis]));
      group.setAttribute('aria-valuetext', `${joint.degrees[axis]}°`);
    }
  }

  /* --- hands --- */

  /** The degree of the ring whose point is nearest to the pointer; `near`: within reach of this one. */
  nearest({ points }, { clientX, clientY }, near = null) {
    const box = this.svg.getBoundingClientRect();
    let best = 0, least = Infinity;
    for (let i = 0; i < SAMPLES; i++) {
      if (near !== null && Math.abs(folded(i - near)) > REACH) continue;
      const far = Math.hypot(points[i][0] + box.left - clientX, points[i][1] + box.top - clientY);
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }

  grab(ring, event) {
    if (event.button !== 0 || !this.joint) return;
    event.preventDefault();
    ring.group.focus();
    ring.group.setPointerCapture(event.pointerId);
    ring.group.classList.add('held');
    this.held = { ring, phi: this.nearest(ring, event), before: this.joint.degrees, wasTurned: this.joint.isTurned, turned: 0 };
  }

  drag(ring, event) {
    const { held } = this;
    if (held?.ring !== ring) return;
    const phi = this.nearest(ring, event, held.phi), step = folded(phi - held.phi);
    if (!step) return;
    held.phi = phi;
    held.turned += step;
    this.put(ring.axis, held.before[ring.axis] + held.turned, true);
  }

  put(axis, degrees, isPassing) { this.turn(this.joint.degrees.map((now, i) => i === axis ? clampedTurn(degrees) : now), isPassing); }

  drop() {
    const { held } = this;
    this.held = null;
    held?.ring.group.classList.remove('held');
    if (held?.turned && this.joint) this.turn(this.joint.degrees, false);
  }

  /** Arrow keys turn. Escape while a ring is held puts the joint back. */
  onKey({ axis }, event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const { held } = this;
    if (event.key === 'Escape' && held) {
      this.held = null;
      held.ring.group.classList.remove('held');
      this.turn(held.wasTurned ? held.before : null, false);
    } else if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      this.put(axis, this.joint.degrees[axis] + step * (event.shiftKey ? SHIFT_DEG : KEY_DEG), false);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
