import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.ts';

/** Where Debian has it, which is not in the path of every user. */
const PATH = [process.env['PATH'], '/usr/sbin'].join(delimiter);

export const hasNginx = (): boolean => spawnSync('nginx', ['-v'], { env: { PATH } }).status === 0;

export interface Nginx {
  /** It listens here, as no configuration can name a port that is free. */
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** Starts nginx before a service, as a proxy that compresses JSON. */
export const startNginx = async (url: string): Promise<Nginx> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-nginx-'));
  const socketPath = join(directory, 'socket');
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; master_process off; pid pid; error_log stderr;
     events {}
     http {
       access_log off; ${bodies.join(' ')}
       gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;
       server { listen unix:${socketPath}; location / { proxy_pass ${url}; } }
     }`,
  );
  const nginx = spawn('nginx', ['-p', directory, '-c', 'nginx.conf'], { env: { PATH }, stdio: 'ignore' });
  const ended = once(nginx, 'exit');
  await eventually(
    'nginx listens',
    () =>
      new Promise((resolve) => {
        const socket = connect(socketPath, () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => resolve(false));
      }),
  );
  return {
    socketPath,
    async stop() {
      nginx.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true });
    },
  };
};
