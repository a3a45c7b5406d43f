import { parseAddressBlock, type AddressBlock } from '../../src/lib/ip-address.ts';

/** Addresses and CIDR blocks, as the configuration reads them. */
export const blocksOf = (texts: readonly string[]): AddressBlock[] =>
  texts.flatMap((text) => {
    const block = parseAddressBlock(text);
    return block ? [block] : [];
  });
