/** The panels beside the stage. */
import { byId, make } from '../common/dom.js';
import { factsBody, factsLine, warningsBody } from './facts_panel.js';
import { MotionPanel } from './motion_panel.js';
import { Posing } from './posing.js';
import { materialsBody, texturesBody, Thumbnails } from './surfaces_panel.js';

const isPhone = matchMedia('(max-width: 46rem)');

function panel(name, title, body, { isOpen = false, count = '', grade = '', onToggle = null } = {}) {
  const details = make('details', { id: 'panel-' + name, open: isOpen }, make('summary', {}, title, count !== '' ? make('span', { class: 'count ' + grade }, String(count)) : ''), body);
  if (onToggle) {
    details.addEventListener('toggle', () => onToggle(details.open));
    if (isOpen) onToggle(true);
  }
  return details;
}

function motionPanel(page) {
  const motion = new MotionPanel(page.model, page.description.hash, (finding) => page.showFinding(finding));
  const details = panel('motion', 'Motion', motion.body, { count: ' ' });
  details.addEventListener('toggle', () => { if (details.open) motion.open(details.querySelector('.count')); });
  return details;
}

function variants(page) {
  const select = make('select', { 'aria-label': 'Materials', onchange: () => { page.state.variant = select.value || null; page.writeAddress(true); location.reload(); } },
    make('option', { value: '' }, 'as in the file'), ...page.description.variants.map((name, i) => make('option', { value: i }, name || 'variant ' + i)));
  select.value = page.state.variant || '';
  return make('div', { class: 'body' }, select);
}

/** Fills the panels beside the stage about the page's model. Those that were open stay open. */
export function fillPanels(page) {
  const { description } = page;
  const joints = new Set(description.skins.filter((skin) => !skin.rigid).flatMap((skin) => skin.joints.map((joint) => joint.node)));
  page.tree.setNodes(description.nodes, joints);
  page.state = page.posing.setModel(page.state, description);
  const textures = texturesBody(description, new Thumbnails(page.model));
  const isWide = !isPhone.matches;
  const open = new Map([...byId('panels').children].map((one) => [one.id, one.open])), { scrollTop } = byId('panels');
  const panels = [panel('clips', 'Clips', page.clips.node, { isOpen: true, count: description.clips.length })];
  if (description.warnings.length) panels.push(panel('warnings', 'Warnings', warningsBody(description), { count: description.warnings.length, grade: 'warn', isOpen: isWide && description.warnings.length < 4 }));
  panels.push(panel('nodes', 'Hierarchy', make('div', { class: 'body' }, page.tree.search, page.tree.node), { isOpen: isWide, count: description.nodes.length }));
  panels.push(panel('pose', 'Pose', page.posing.panel.body, { count: ' ', isOpen: isWide && Posing.isGiven(page.state), onToggle: () => page.posing.showRings(page.stage) }));
  if ((description.variants || []).length) panels.push(panel('variants', 'Variants', variants(page), { count: description.variants.length, isOpen: isWide }));
  if (description.clips.length) panels.push(motionPanel(page));
  panels.push(panel('light', 'Light', page.light.node, { count: ' ' }));
  if (description.materials.length) panels.push(panel('materials', 'Materials', materialsBody(description), { count: description.materials.length }));
  if (description.textures.length) panels.push(panel('textures', 'Textures', textures, { count: description.textures.length, onToggle: (isOpen) => { if (isOpen) textures.fill(); } }));
  panels.push(panel('facts', 'Facts', factsBody(description), { isOpen: isWide }));
  for (const one of panels) if (open.has(one.id)) one.open = open.get(one.id);
  byId('panels').replaceChildren(...panels);
  byId('panels').scrollTop = scrollTop;
  byId('facts').textContent = factsLine(description);
}
