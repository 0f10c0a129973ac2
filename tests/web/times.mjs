// A reporter for Node's test runner: JUnit's elements of the tests with the file of each, which Node's own reporter lacks. run.sh joins
// those of several runs.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const escaped = (text) => String(text).replace(/[&<>"'\n]/g, (c) => `&#${c.charCodeAt(0)};`);
const FOLDER = path.dirname(fileURLToPath(import.meta.url));

// Node 18 gives a URL, later versions a path.
const nameOf = (file) => path.relative(FOLDER, file.startsWith('file:') ? fileURLToPath(file) : file);

function resultOf(type, { skip, todo }) {
  if (type === 'test:fail') return '<failure/>';
  return skip !== undefined || todo !== undefined ? '<skipped/>' : '';
}

export default async function* times(source) {
  for await (const { type, data } of source) {
    if (!['test:pass', 'test:fail'].includes(type) || data.details.type === 'suite' || !data.file) continue;
    const file = escaped(nameOf(data.file));
    yield `<testcase classname="${file}" file="${file}" name="${escaped(data.name)}" time="${(data.details.duration_ms / 1000).toFixed(6)}">`
      + `${resultOf(type, data)}</testcase>\n`;
  }
}
