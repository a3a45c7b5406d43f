import { InvalidArgumentError } from 'commander';
import { isLoopbackHost } from '../../lib/ip-address.ts';
import { MOMENT_HELP } from '../../history/moment/moment.ts';
import { parseMomentText, checkDayOrTime } from './option-parsers.ts';

/** What `--from` names: a service that is asked, a moment, or both, where it is given twice. */
export interface FromOption {
  readonly service?: string;
  readonly moment?: string;
}

const URL_OF_SERVICE = 'the URL of a service that is asked instead of the stores';
/** For the help of commands that take a service alone. */
export const FROM_SERVICE_HELP = `${URL_OF_SERVICE}, with HIRING_API_KEY and HIRING_TOKEN`;
/** For those that take a moment as well, which comes first. */
export const momentOrServiceHelp = (what: string): string => `${what}: ${MOMENT_HELP}; and ${FROM_SERVICE_HELP}`;

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** The URL of a service. @throws InvalidArgumentError */
const serviceUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isUrl(text) || url.username || url.password || url.search || url.hash)
    throw new InvalidArgumentError('It must be the https:// URL of a service, with nothing after its path.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new InvalidArgumentError(
      'It must be https://, as the token is sent there; http:// is for this machine alone.',
    );
  return text;
};

/** Reads a `--from` that names a service. @throws InvalidArgumentError */
export const parseFromServiceUrl = (text: string): FromOption => ({ service: serviceUrl(text) });

const serviceOr =
  (parse: (text: string) => string) =>
  (text: string, before: FromOption = {}): FromOption =>
    isUrl(text) ? { ...before, service: serviceUrl(text) } : { ...before, moment: parse(text) };

/** Reads a `--from` that names a moment or a service; it may be given twice. @throws InvalidArgumentError */
export const parseFromMomentOrService = serviceOr(parseMomentText);

/** The same for a day or a time instead of a moment. */
export const parseFromTimeOrService = serviceOr(checkDayOrTime);
