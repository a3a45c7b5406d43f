/** The package brings no types; this is what is used of it. */
declare module 'koa-pino-logger' {
  import type { Middleware } from 'koa';
  import type { DestinationStream, LoggerOptions } from 'pino';

  export default function logger(options: LoggerOptions, destination: DestinationStream): Middleware;
}
