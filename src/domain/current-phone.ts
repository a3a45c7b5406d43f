/** A phone number, and when it became known. */
export interface PhoneSet {
  readonly number: string;
  readonly at: string;
}

export interface PhonesOfProfessional {
  readonly profile: { readonly phone: string | null };
  /** The last number of a profile that was new and not null. */
  readonly profilePhone: PhoneSet | null;
  /** Set by the profile's user (interface specification, 4.1). */
  readonly ownPhone: PhoneSet | null;
}

/**
 * The newer, by recorded time, of the profile's number and the user's own, which also wins a tie (decisions, Where
 * fields come from).
 */
export const currentPhoneSet = ({
  profile,
  profilePhone,
  ownPhone,
}: PhonesOfProfessional): PhoneSet | null => {
  if (!ownPhone) return profile.phone === null ? null : profilePhone;
  return profilePhone && profilePhone.at > ownPhone.at ? profilePhone : ownPhone;
};

/** The number of `currentPhoneSet`. */
export const currentPhone = (phones: PhonesOfProfessional): string | null =>
  currentPhoneSet(phones)?.number ?? null;
