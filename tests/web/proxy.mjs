// A TCP proxy between a browser and a server, which can be slow, down and up again.
import net from 'node:net';

// Listens on a free port of 127.0.0.1 and passes bytes on to `url`.
//   proxy.url          the address to give the browser
//   proxy.delay_ms     how long each piece from the server is held back (0)
//   proxy.cut()        ends all connections and takes no new one: the server is gone
//   proxy.restore()    back again, at the same address
//   proxy.answer(n)    answers the next n connections by itself with 502, as a balancer does whose server is gone
//   proxy.end()
export async function startProxy(url) {
  const target = new URL(url);
  const sockets = new Set();
  let port = 0, failures = 0, listener = null;
  const proxy = { delay_ms: 0 };

  function refuse(client) {
    const body = '<html>502 Bad Gateway</html>';
    client.once('data', () => client.end(`HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`));
  }

  function pass(client) {
    sockets.add(client);
    client.on('error', () => {});
    client.on('close', () => sockets.delete(client));
    if (failures > 0) {
      failures--;
      refuse(client);
      return;
    }
    const server = net.connect(+target.port, target.hostname);
    sockets.add(server);
    server.on('error', () => client.destroy());
    server.on('close', () => { sockets.delete(server); client.end(); });
    client.on('close', () => server.destroy());
    client.pipe(server);
    let last = Promise.resolve(); // pieces stay in order
    server.on('data', (bytes) => {
      const due = proxy.delay_ms;
      last = last.then(() => due ? new Promise((resolve) => setTimeout(resolve, due)) : null).then(() => client.write(bytes));
    });
  }

  const listen = () => new Promise((resolve, reject) => {
    listener = net.createServer(pass);
    listener.once('error', reject);
    listener.listen(port, '127.0.0.1', () => { port = listener.address().port; resolve(); });
  });
  const close = () => new Promise((resolve) => {
    listener.close(resolve);
    for (const socket of sockets) socket.destroy();
  });

  await listen();
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    cut: close,
    restore: listen,
    answer: (count) => { failures = count; },
    end: () => listener.listening ? close() : null,
  });
}
