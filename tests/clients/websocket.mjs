// The WebSocket of Node 22; before, that of the package ws, which tests/web/run.sh installs.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export function webSocket() {
  if (globalThis.WebSocket) return globalThis.WebSocket;
  const beside = new URL('../web/', import.meta.url);
  // a read-only checkout has no packages: see run.sh
  const installed = fs.existsSync(new URL('node_modules/ws', beside)) ? beside : pathToFileURL(`${process.env.POSED_BUILD}/test/web/tests/web/`);
  return createRequire(installed)('ws').WebSocket;
}
