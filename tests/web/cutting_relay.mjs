// A relay between clients and a server that ends connections when a test wants: after a number of bytes of the server, or now.
import net from 'node:net';

// `cuts`: for each connection, in their order, the number of the server's bytes after which it ends; null, or no entry: never.
export async function startRelay(target, cuts = []) {
  const { hostname, port } = new URL(target);
  const relay = { passed: [], heads: [], target: { host: hostname, port: Number(port) } };
  const open = new Set();
  const listener = net.createServer((client) => {
    const number = relay.passed.push(0) - 1;
    const cut = cuts[number] ?? null;
    const server = net.connect(relay.target);
    const end = () => { client.destroy(); server.destroy(); open.delete(end); };
    open.add(end);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.once('data', (data) => relay.heads.push(data.toString('latin1').split('\r\n')[0]));
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      const part = cut === null ? data : data.subarray(0, Math.max(0, cut - relay.passed[number]));
      relay.passed[number] += part.length;
      const isOver = cut !== null && relay.passed[number] >= cut;
      client.write(part, () => { if (isOver) end(); });
    });
    if (cut === 0) end();
  });
  relay.sever = () => { for (const end of [...open]) end(); };
  relay.listen = (at = 0) => new Promise((resolve) => { listener.listen(at, '127.0.0.1', resolve); });
  relay.refuse = () => new Promise((resolve) => { listener.close(resolve); relay.sever(); });
  await relay.listen();
  relay.port = listener.address().port;
  relay.url = `http://127.0.0.1:${relay.port}`;
  relay.end = () => (listener.listening ? relay.refuse() : undefined);
  return relay;
}
