import { setTimeout as delay } from 'node:timers/promises';
import { bodies } from '../support/examples.ts';
import { processKeys } from '../support/process.ts';
import { tokenFor } from '../support/service.ts';

/** Fast enough that some requests are always under way, slow enough that the event log stays small. */
const PAUSE_MS = 50;

/** A client that saves postings and applies to them, one request after another, whether they are answered or not. */
export interface SteadyWriter {
  /** Resolves when none of its requests is under way any more. */
  readonly hold: () => Promise<void>;
  readonly goOn: () => void;
}

/** @param url the service's address, asked again for each request */
export const createSteadyWriter = (url: () => string): SteadyWriter => {
  let isHeld = true;
  let number = 0;
  let writing: Promise<void> = Promise.resolve();

  const send = async (path: string, professional: string, body: unknown): Promise<void> => {
    const token = await tokenFor({ sub: `user-of-${professional}`, professional_id: professional });
    const headers = {
      'Content-Type': 'application/json',
      'X-API-Key': processKeys.client,
      Authorization: `Bearer ${token}`,
    };
    await fetch(url() + path, { method: 'POST', headers, body: JSON.stringify(body) })
      .then((response) => response.text())
      .catch(() => undefined);
  };
  const write = async (): Promise<void> => {
    while (!isHeld) {
      const professional = `steady-${number++}`;
      await send('/professionals/postings/save', professional, { postingId: 'posting' });
      await send('/postings/posting/candidates', professional, bodies.application);
      await delay(PAUSE_MS);
    }
  };

  return {
    async hold() {
      isHeld = true;
      await writing;
    },
    goOn() {
      if (!isHeld) return;
      isHeld = false;
      writing = write();
    },
  };
};

/** Records the posting that the writer saves and applies to. */
export const recordPosting = async (url: string): Promise<void> => {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': processKeys.internal };
  const body = JSON.stringify(bodies.posting);
  const response = await fetch(`${url}/internal/postings/posting`, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(`The posting was not recorded: ${response.status}`);
};
