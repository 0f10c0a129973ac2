/** This server, for what draws: addresses and answers as in http.js, and a connection of the binary protocol. */
import { Link } from '../js/link.js';
import { absolute, getPatiently, link, token } from './http.js';

export const server = {
  link,
  /** One answer; what passes by itself is tried again. */
  get: getPatiently,
  /** Whoever uses it opens another one where it ends (viewer/connection.js), and says so on the page.
   * @returns {Promise<Link>} an open connection over WebSocket (clients/js/link.js) */
  openStream: (signal) => Link.open(absolute('v1/stream').replace(/^http/, 'ws'), { token: token(), signal, reconnectTries: 0 }),
};
