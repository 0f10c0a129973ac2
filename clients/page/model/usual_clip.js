/** The clip that represents a model best, by the server's rule for pictures without clip=. */

/** Words of names and their kinds. A test compares them with protocol/clip_words.def. */
export const CLIP_WORDS = {
  IDLE: 'idle idling', STAND: 'stand standing', WAIT: 'breath breathe breathing rest resting stay staying wait waiting',
  PASSAGE: 'down end from into out start stop to turn turning up', CALIBRATION: 'apose bind bindpose calibrate calibration pose tpose',
  HARM: 'collapse damage damaged dead death defeat defeated die dies dying fall fallen falling falls hit hits hurt hurts killed knockback knockdown '
    + 'knocked lie lying ragdoll',
};
const KINDS = new Map(Object.entries(CLIP_WORDS).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind])));

/** Runs of letters: "IdleGun" has two, "IDLE" one. */
const wordsOf = (text) => (text.match(/[A-Z]+[a-z]*|[a-z]+/g) || []).map((word) => word.toLowerCase());

/** Without an armature, a namespace, and the layer that Blender's exporter appends. */
function ownPart(name) {
  const parts = name.split(/[|:]/), last = parts.at(-1), before = name.slice(0, name.length - last.length);
  return before.length > 1 && before.endsWith('|') && wordsOf(last).at(-1) === 'layer' ? parts.at(-2) : last;
}

/** Lower is better. */
function rankOf(name) {
  const words = wordsOf(ownPart(name)), kinds = new Set(words.map((word) => KINDS.get(word))), isAll = words.length === 1;
  if (kinds.has('HARM')) return 8;
  if (kinds.has('CALIBRATION')) return 7;
  if (kinds.has('PASSAGE')) return 6;
  if (kinds.has('IDLE')) return isAll ? 0 : 2;
  if (kinds.has('STAND')) return isAll ? 1 : 3;
  return !kinds.has('WAIT') ? 6 : isAll ? 4 : 5;
}

/** As the server has it: longer names have no words, further clips are not looked at. */
const NAME_BYTES_MOST = 128, CLIPS_MOST = 1024;
const isRead = (name) => name && new TextEncoder().encode(name).length <= NAME_BYTES_MOST;

/** @param {{name: string|null}[]} clips at least one */
export function usualClip(clips) {
  const ranks = clips.slice(0, CLIPS_MOST).map(({ name }) => rankOf(isRead(name) ? name : ''));
  return clips[ranks.indexOf(Math.min(...ranks))];
}
