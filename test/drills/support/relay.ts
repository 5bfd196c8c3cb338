import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const host = '127.0.0.1';

/**
 * A TCP relay on the loopback address: what stands between a client and its service, and can be cut. `refused` closes the
 * port, as when the service is gone; `silent` takes connections and bytes and answers nothing, as when a network drops
 * packets, so that a client learns of it by its own timeouts only.
 */
export class Relay {
  readonly url: string;
  readonly #port: number;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #silent = false;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.#port = port;
    this.#target = target;
    this.url = `http://${host}:${port}`;
    server.on('connection', (client) => this.#join(client));
  }

  static async open(target: number): Promise<Relay> {
    const server = await listen(0);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the relay has no port');
    return new Relay(server, address.port, target);
  }

  async cut(how: 'refused' | 'silent'): Promise<void> {
    this.#silent = how === 'silent';
    this.#drop();
    if (how === 'refused') await this.close();
    else await this.#listenAgain();
  }

  async restore(): Promise<void> {
    this.#silent = false;
    // Connections that lost bytes in the silence are of no use any more.
    this.#drop();
    await this.#listenAgain();
  }

  async close(): Promise<void> {
    this.#drop();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #listenAgain(): Promise<void> {
    if (this.#server.listening) return;
    this.#server = await listen(this.#port);
    this.#server.on('connection', (client) => this.#join(client));
  }

  #drop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #join(client: Socket): void {
    const service = connect(this.#target, host);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => {
        if (!this.#silent) to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}

const listen = async (port: number): Promise<Server> => {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  return server;
};
