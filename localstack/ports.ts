import { connect, createServer } from 'node:net';

/** The only address that anything here listens on. */
export const host = '127.0.0.1';

export const endpointUrlOf = (port: number): string => `http://${host}:${port}`;

export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });

/** True if something listens there. */
export const isTaken = (port: number, address = host): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: address });
    const settle = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
