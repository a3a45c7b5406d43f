import { tooMany } from '../errors/domain-error.ts';

/** A bounded number of places for what takes much of the service. */
export interface Places {
  /** Takes a place. @returns gives it back, once @throws DomainError too-many where all are taken */
  take(): () => void;
}

const RETRY_AFTER_S = 1;

export const createPlaces = (most: number, what: string): Places => {
  let taken = 0;
  return {
    take() {
      if (taken >= most) throw tooMany(`${most} ${what} already`, RETRY_AFTER_S);
      taken++;
      let isGiven = false;
      return () => {
        if (!isGiven) taken--;
        isGiven = true;
      };
    },
  };
};
