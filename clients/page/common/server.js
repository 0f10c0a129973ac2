/** This server, for the drawing code: addresses and responses as in http.js, and a connection of the binary protocol. */
import { Link } from '../js/link.js';
import { absolute, getPatiently, link, token } from './http.js';

export const server = {
  link,
  /** Gets one response; retries temporary failures. */
  get: getPatiently,
  /** The caller opens another one when it ends (viewer/connection.js), and tells the visitor.
   * @returns {Promise<Link>} an open connection over WebSocket (clients/js/link.js) */
  openStream: (signal) => Link.open(absolute('v1/stream').replace(/^http/, 'ws'), { token: token(), signal, reconnectTries: 0 }),
};
