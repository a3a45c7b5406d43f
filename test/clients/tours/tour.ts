type Credentials = Readonly<Record<'internal' | 'professional' | 'office', Record<string, string>>>;

/** The README's tour by a generated client: makes it, and gives what it saw. */
export type Tour = (baseUrl: string, credentials: Credentials) => Promise<Readonly<Record<string, unknown>>>;
