import { parseCidrBlock, type CidrBlock } from '../../src/lib/ip-address.ts';

/** Addresses and CIDR blocks, as the configuration reads them. */
export const blocksOf = (texts: readonly string[]): CidrBlock[] =>
  texts.flatMap((text) => {
    const block = parseCidrBlock(text);
    return block ? [block] : [];
  });
