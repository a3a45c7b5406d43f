/** A phone number, and when it became known. */
export interface DatedPhoneNumber {
  readonly number: string;
  readonly at: string;
}

export interface PhonesOfProfessional {
  readonly profile: { readonly phone: string | null };
  /** The last number of a profile that was new and not null. */
  readonly profilePhone: DatedPhoneNumber | null;
  /** Set by the profile's user (interface specification, 4.1). */
  readonly ownPhone: DatedPhoneNumber | null;
}

/**
 * The newer, by recorded time, of the profile's number and the user's own, which also wins a tie (decisions, Where
 * fields come from).
 */
export const currentDatedPhoneNumber = ({
  profile,
  profilePhone,
  ownPhone,
}: PhonesOfProfessional): DatedPhoneNumber | null => {
  if (!ownPhone) return profile.phone === null ? null : profilePhone;
  return profilePhone && profilePhone.at > ownPhone.at ? profilePhone : ownPhone;
};

export const currentPhone = (phones: PhonesOfProfessional): string | null =>
  currentDatedPhoneNumber(phones)?.number ?? null;
