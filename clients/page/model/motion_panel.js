/**
 * The panel of what /v1/check finds in the motion of the model's clips. It asks when it is first opened: all clips are evaluated for the answer.
 */
import { make } from '../common/dom.js';
import { countText } from '../common/format.js';
import { getPatiently, link } from '../common/http.js';

const LISTED_MOST = 200;
const timeText = (time_s) => time_s === undefined ? '' : ` · ${time_s.toFixed(2)} s`;

export class MotionPanel {
  /** lead({clip, time_s, node}): shows a finding; clip: its index, or undefined for one of the rest pose; time_s and node may be undefined. */
  constructor(model, hash, lead) {
    Object.assign(this, { model, hash, lead, body: make('div', { class: 'body' }, make('p', { class: 'soft', role: 'status' }, 'Not checked yet.')) });
  }

  say(text) { this.body.replaceChildren(make('p', { class: 'soft', role: 'status' }, text)); }

  /** Asks once. count: the element that tells how many findings there are. */
  async open(count) {
    if (this.isAsked) return;
    this.isAsked = true;
    this.say('The clips are being checked …');
    try {
      this.show(await (await getPatiently(link('v1/check', { model: this.model, hash: this.hash }))).json(), count);
    } catch (problem) {
      this.isAsked = false; // opening it again tries again
      this.say(problem.message);
    }
  }

  show({ findings, clips, left_out }, count) {
    const found = [...findings, ...clips.flatMap((clip) => clip.findings.map((one) => ({ ...one, clip: clip.index })))];
    const faults = found.filter((one) => !one.note);
    count.textContent = String(faults.length);
    count.classList.toggle('warn', faults.length > 0);
    if (!found.length) { this.say(`Nothing is wrong with the motion of ${countText(clips.length, 'clip')}.`); return; }
    const rest = found.length - LISTED_MOST + left_out;
    this.body.replaceChildren(make('ul', { class: 'warnings findings' }, ...found.slice(0, LISTED_MOST).map((one) => this.finding(one))),
      rest > 0 ? make('p', { class: 'soft' }, `and ${rest} more`) : '');
  }

  finding({ rule, message, time, joint, clip }) {
    return make('li', {}, make('button', { type: 'button', class: 'plain', onclick: () => this.lead({ clip, time_s: time, node: joint?.node }) },
      make('strong', {}, rule + timeText(time)), ' ', message));
  }
}
