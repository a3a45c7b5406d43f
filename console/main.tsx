/** Stands in for the console until it is built: signs in to the demo, and shows who is signed in. */
import { failures } from '../src/console/failures.ts';

const root = document.getElementById('console');
const show = (text: string): void => {
  if (root) root.textContent = text;
};

const button = (role: string): HTMLElement => {
  const element = document.createElement('button');
  element.textContent = `Sign in as ${role}`;
  element.addEventListener('click', () => {
    const headers = { 'X-Console': '1', 'Content-Type': 'application/json' };
    void fetch('sign-in', { method: 'POST', headers, body: JSON.stringify({ role }) }).then(start);
  });
  return element;
};

const start = async (): Promise<void> => {
  const { user, signIn } = await (await fetch('session')).json();
  const failure = new URLSearchParams(location.hash.split('?')[1]).get('failure') ?? '';
  show(user ? `Signed in as ${user.id}` : (new Map(Object.entries(failures)).get(failure) ?? ''));
  if (user) return;
  if (signIn === 'demo') root?.append(button('admin'), button('analyst'));
  else root?.append(Object.assign(document.createElement('a'), { href: 'sign-in', textContent: 'Sign in' }));
};

void start();
