import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ConsoleSettings } from '../../src/console/settings.ts';

export interface Seen {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed, where it is JSON. */
  readonly body: unknown;
  readonly setCookies: readonly string[];
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface Kept {
  readonly host: string;
  readonly path: string;
  readonly value: string;
}

const onPath = (path: string, of: string): boolean => path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`);

/** Sends requests as a browser does: it keeps cookies for their hosts and paths, and no script sees them. */
export const createBrowser = () => {
  const cookies = new Map<string, Kept>();
  const seen: Seen[] = [];

  const keep = ({ host }: URL, line: string): void => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/';
    const isGone = /; *max-age=0(?:;|$)/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line);
    const key = `${host} ${path} ${name}`;
    if (isGone) cookies.delete(key);
    else cookies.set(key, { host, path, value: `${name}=${value}` });
  };

  const ask = (address: string | URL, { method = 'GET', headers = {}, body, form }: Asking = {}) =>
    new Promise<Seen>((resolve, reject) => {
      const url = new URL(address);
      const held = [...cookies.values()].filter(({ host, path }) => host === url.host && onPath(url.pathname, path));
      const sent = form ? new URLSearchParams(form).toString() : body === undefined ? '' : JSON.stringify(body);
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
      const asked = httpRequest(
        url,
        {
          method,
          agent: false,
          headers: {
            ...(held.length > 0 && { Cookie: held.map(({ value }) => value).join('; ') }),
            ...(sent !== '' && { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(sent)) }),
            ...headers,
          },
        },
        (response) => {
          text(response).then((content) => {
            const setCookies = response.headers['set-cookie'] ?? [];
            for (const line of setCookies) keep(url, line);
            const isJson = response.headers['content-type']?.startsWith('application/json') === true;
            const answer = {
              url,
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: content,
              body: isJson ? (JSON.parse(content) as unknown) : undefined,
              setCookies,
            };
            seen.push(answer);
            resolve(answer);
          }, reject);
        },
      );
      asked.on('error', reject);
      asked.end(sent);
    });

  return {
    ask,
    /** Follows redirects to where they end, or to an address that is not asked. */
    async follow(address: string | URL, isEnd: (url: URL) => boolean = () => false): Promise<Seen> {
      let answer = await ask(address);
      while (answer.status >= 300 && answer.status < 400) {
        const next = new URL(answer.headers.location ?? '', answer.url);
        if (isEnd(next)) return { ...answer, url: next };
        answer = await ask(next);
      }
      return answer;
    },
    /** What the browser holds of a cookie; undefined where it has none. */
    cookie: (name: string): string | undefined =>
      [...cookies.values()].find(({ value }) => value.startsWith(`${name}=`))?.value.slice(name.length + 1),
    seen: seen as readonly Seen[],
  };
};
export type Browser = ReturnType<typeof createBrowser>;

export const SESSION = 'hiring_console';
export const consoleSecret = 'a secret of the console in the tests, 32 bytes';

/** The console of a demo. */
export const demoConsole = (mode: ConsoleSettings['mode'] = 'on'): ConsoleSettings => ({
  kind: 'demo',
  mode,
  sessionSecret: consoleSecret,
});

/** What the page sends with all that changes something. */
export const pageHeaders = (url: string) => ({ 'X-Console': '1', Origin: new URL(url).origin });

/** Signs in to a demo. */
export const signInToDemo = async (browser: Browser, url: string, role: 'admin' | 'analyst'): Promise<Seen> =>
  browser.ask(`${url}/console/sign-in`, { method: 'POST', headers: pageHeaders(url), body: { role } });
