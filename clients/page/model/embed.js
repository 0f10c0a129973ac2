/** A model in a frame of another page, /embed/PATH: the stage, play and pause, the timeline, and a link to the page of the model. */
import { byId, icon, make } from '../common/dom.js';
import { baseName } from '../common/format.js';
import { getPatiently, link, modelLink } from '../common/http.js';
import { watchSignIn } from '../common/sign_in.js';
import { modelOfAddress } from './address.js';
import { PAUSE, PLAY } from './player.js';
import { Stage } from './stage.js';
import { findReferred, readState, referenceOf, showBackground, writeState } from './state.js';

const model = modelOfAddress();
const state = readState(location.search, model);
if (matchMedia('(prefers-reduced-motion: reduce)').matches && state.t === null) state.t = 0;

const stage = new Stage({ stage: byId('stage'), poster: byId('poster'), pictures: byId('pictures'), live: byId('live') });
const button = make('button', { type: 'button', class: 'plain', onclick: toggle });
const slider = make('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'Time', oninput: () => seek(+slider.value) });
byId('bar').append(button, slider, make('a', { href: modelLink(model, writeState(state)), target: '_blank', rel: 'noopener', title: model }, baseName(model)));
showBackground(byId('stage'), state.background);

function notice(text, retry = null) {
  byId('notices').replaceChildren(...(text ? [make('div', { class: 'notice bad', role: 'alert' }, make('span', {}, text),
    retry ? make('button', { type: 'button', onclick: retry }, 'Try again') : '')] : []));
}

function show() {
  const { viewer } = stage, duration_s = viewer && stage.clips ? viewer.duration_s || stage.durationOf(state) : 0;
  const isPlaying = Boolean(viewer && viewer.isPlaying);
  if (button.dataset.isPlaying !== String(isPlaying)) {
    button.dataset.isPlaying = isPlaying;
    button.replaceChildren(icon(...(isPlaying ? PAUSE : PLAY)));
    button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
  }
  button.hidden = slider.hidden = !(duration_s > 0);
  slider.max = duration_s;
  slider.value = viewer ? viewer.time_s : 0;
  slider.setAttribute('aria-valuetext', `${(+slider.value).toFixed(2)} of ${duration_s.toFixed(2)} seconds`);
}

function seek(time_s) {
  const { viewer } = stage;
  if (!viewer) return;
  viewer.pause();
  viewer.time_s = time_s;
  show();
}

function toggle() {
  const { viewer } = stage;
  if (!viewer) return;
  if (viewer.isPlaying) viewer.pause(); else viewer.play();
  show();
}

async function load() {
  notice('');
  byId('loading').textContent = 'Loading';
  stage.showPoster(model, state);
  try {
    const described = async (name) => (await getPatiently(link('v1/model', { model: name }), undefined, { onWait: (problem) => { byId('loading').textContent = problem.message; }, tries: 30 })).json();
    const description = await described(model);
    const { clips, usual_clip } = state.clip_file ? await described(state.clip_file) : description;
    stage.setClips(clips, usual_clip);
    if (state.clip !== '-' && !findReferred(clips, state.clip)) state.clip = clips.length ? referenceOf(clips, usual_clip) : '-';
    stage.state = state;
    await stage.load(description, state.variant);
    byId('loading').textContent = '';
  } catch (problem) {
    byId('loading').textContent = '';
    if (problem.status !== 401) notice(problem.message, load);
  }
}

watchSignIn();
for (const id of ['live', 'pictures']) byId(id).setAttribute('aria-label', baseName(model));
stage.addEventListener('time', show);
stage.addEventListener('ready', () => { byId('loading').textContent = ''; show(); });
stage.addEventListener('problem', ({ detail }) => notice((detail && detail.message) || 'The model cannot be drawn'));
addEventListener('keydown', (event) => {
  if (event.key !== ' ' || event.target.closest('button, a, input')) return;
  event.preventDefault();
  toggle();
});
show();
load();
