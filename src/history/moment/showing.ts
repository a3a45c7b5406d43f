import { PERSONAL } from '../../schema/schema.ts';
import { maskBy, noMask, type Mask } from './mask.ts';

/** How events are shown to whom a copy or an export of them is given. */
export interface ShownAs {
  readonly isMasked: boolean;
  /** Tells masks of one secret from those of another, and says nothing of either. */
  readonly maskId: string;
}

export interface Showing extends ShownAs {
  readonly mask: Mask;
}

/** With masks keyed by a secret; without one, with personal data. */
export const showingBy = (maskSecret: string | undefined): Showing => {
  if (maskSecret === undefined) return { mask: noMask, isMasked: false, maskId: 'none' };
  const mask = maskBy(maskSecret);
  return { mask, isMasked: true, maskId: JSON.stringify(mask({ [PERSONAL]: 'maskId' }, 'maskId')) };
};
