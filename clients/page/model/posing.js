/** The pose that the visitor gives on top of the clip: its panel, its rings over the model, and what is copied. */
import { byId } from '../common/dom.js';
import { fitGiven, layerOf, nodeOf, partsOf, POSE } from './given.js';
import { Gizmo } from './gizmo.js';
import { PosePanel } from './pose_panel.js';

export class Posing {
  /** @param {{change, chooseNode, eye, pause, copied, say, notice}} page what it does on the page */
  constructor(page) {
    this.page = page;
    this.panel = new PosePanel({ change: page.change, chooseNode: page.chooseNode, eye: page.eye, copy: () => this.copy() });
    this.gizmo = new Gizmo(byId('gizmo'), (degrees, isPassing) => this.panel.turn(degrees, isPassing));
  }

  static isGiven(state) { return POSE.some((kind) => state[kind]?.length > 0); }

  /** Takes a model. Returns the state without what the model does not have. */
  setModel(state, description) {
    const { state: fitted, faults } = fitGiven(state, description);
    this.description = description;
    this.panel.setModel(description);
    this.page.notice('pose', faults.join(' '));
    return fitted;
  }

  /** @param {Object} state @param {Object|null} node the chosen one */
  show(state, node) {
    Object.assign(this, { state, node });
    this.panel.show(state, node);
  }

  /** The rings are shown in the live view while the panel is open and the clip stands still. */
  showRings({ mode, viewer }) {
    const { node, state, description } = this;
    if (!node || mode !== 'live' || viewer.isPlaying || !byId('panel-pose')?.open) { this.gizmo.show(null, null); return; }
    const others = state.turn.filter((text) => nodeOf(description, partsOf(text)[0]) !== node.node);
    this.gizmo.show(viewer, { node: node.node, name: node.name || 'node ' + node.node, degrees: this.panel.degrees, isTurned: others.length < state.turn.length, others });
  }

  /** Opens the panel at the chosen joint. A clip that plays stops, because its joints run away. */
  open() {
    const panel = byId('panel-pose');
    if (!panel) return;
    this.page.pause();
    panel.open = true;
    panel.scrollIntoView({ block: 'nearest' });
    (panel.querySelector('fieldset:not([hidden]) input') || panel.querySelector('summary')).focus();
  }

  async copy() {
    const said = await this.page.copied(JSON.stringify(layerOf(this.state)), 'The pose');
    if (said) this.page.say(said);
  }
}
