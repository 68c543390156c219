import { ChildProcess, spawn } from 'child_process';
import { randomBytes, randomInt } from 'crypto';
import { createServer } from 'net';
import { resolve } from 'path';
import type { APIRequestContext } from '@playwright/test';
import { expect, request, test as base } from '@playwright/test';
import { Api } from './workspace';

const FOLDER = resolve(__dirname, '..');

/** A Jupyter Server of the tests of one file, which asks for a token. */
export interface ILab {
  origin: string;
  port: number;
  token: string;
  api: Api;
  /** Speaks to it with the token. */
  request: APIRequestContext;
}

/** Return a free port below those of outgoing connections, so that it stays free until it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>(done => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
    });
    if (isFree) {
      return port;
    }
  }
}

async function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode === null) {
    const end = new Promise(done => process.once('exit', done));
    process.kill('SIGTERM');
    await end;
  }
}

/** Return tests with a server that is configured by a file of this folder's parent. */
export const withLab = (
  config: string,
  app = 'jupyterlab',
  variables: Record<string, string> = {}
) =>
  base.extend<object, { lab: ILab }>({
    lab: [
      // eslint-disable-next-line no-empty-pattern -- Playwright wants the pattern, even an empty one
      async ({}, use) => {
        const port = await freePort();
        const token = randomBytes(24).toString('hex');
        const server = spawn('python', ['serve.py', `${port}`, config, app], {
          cwd: FOLDER,
          env: { ...process.env, ...variables, GPUQUOTA_TEST_TOKEN: token },
          stdio: ['ignore', 'inherit', 'inherit']
        });
        const origin = `http://localhost:${port}`;
        const context = await request.newContext({
          extraHTTPHeaders: { Authorization: `token ${token}` }
        });
        try {
          const answers = async () => {
            expect(server.exitCode).toBeNull();
            const answer = await context.get(`${origin}/api/status`);
            expect(answer.ok()).toBe(true);
          };
          await expect(answers).toPass({ timeout: 120_000 });
          const api = new Api(context, origin);
          await use({ origin, port, token, api, request: context });
        } finally {
          await context.dispose();
          await ended(server);
        }
      },
      { scope: 'worker', timeout: 180_000 }
    ]
  });
