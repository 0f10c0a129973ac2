/** Writes numbers and names for people. */

/** Writes 1234567 bytes as "1.2 MB". */
export function bytesText(bytes) {
  if (bytes < 1024) return bytes + ' B';
  if (bytes < 1048576) return (bytes / 1024).toFixed(0) + ' KB';
  if (bytes < 1073741824) return (bytes / 1048576).toFixed(1) + ' MB';
  return (bytes / 1073741824).toFixed(2) + ' GB';
}

/** "0.84 s", "12.5 s", "1:04.2". */
export function secondsText(time_s) {
  const s = Math.max(0, +time_s || 0);
  if (s >= 60) return Math.floor(s / 60) + ':' + (s % 60).toFixed(1).padStart(4, '0');
  return s.toFixed(s < 10 ? 2 : 1) + ' s';
}

/** countText(1, 'clip') is "1 clip", countText(3000, 'clip') "3,000 clips". */
export const countText = (count, word, words = word + 's') => count.toLocaleString('en') + ' ' + (count === 1 ? word : words);

/** The last part of a path. */
export const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
/** The folder of a path, with a slash at its end; "" at the root. */
export const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1);

/** The name of a thing, or its number if it has no name: nameOf(clip, 'clip'). */
export const nameOf = (thing, kind) => thing.name || kind + ' ' + thing.index;
