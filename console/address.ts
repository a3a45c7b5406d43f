import { useLayoutEffect, useState } from 'preact/hooks';

/** A view and its filters, as they stand in the address after `#/`. */
export interface ViewAddress {
  readonly segments: readonly string[];
  readonly parameters: URLSearchParams;
}

/** Left as it is where its escapes are not valid, so that the view can say what is wrong. */
const unescapeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

export const readAddress = (hash = location.hash): ViewAddress => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter((each) => each !== '');
  return { segments: segments.map(unescapeSegment), parameters: new URLSearchParams(query) };
};

export { toHashRoute as addressOf, withQuery } from '../src/console/hash-route.ts';

/** Those of some filters that an address sets, in the order of their names. */
export const filtersIn = <Name extends string>(
  parameters: URLSearchParams,
  names: readonly Name[],
): { [Each in Name]?: string } => {
  const found: { [Each in Name]?: string } = {};
  for (const name of names) {
    const value = parameters.get(name);
    if (value) found[name] = value;
  }
  return found;
};

/** Goes to another view, or changes the filters of this one. */
export const navigate = (address: string, how: 'push' | 'replace' = 'push'): void => {
  if (how === 'push') location.hash = address;
  else {
    history.replaceState(null, '', address);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }
};

export const useAddress = (): ViewAddress => {
  const [address, setAddress] = useState(readAddress);
  // Before a view can go elsewhere.
  useLayoutEffect(() => {
    const read = () => setAddress(readAddress());
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return address;
};
