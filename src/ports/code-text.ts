/** The code is the only run of six digits, so that phones can offer to fill it in. */
export const codeText = (code: string): string =>
  `Your confirmation code is ${code}. It is valid for 10 minutes. Please do not share it with anyone.`;

/** Without the code: subjects show on locked screens. */
export const CODE_SUBJECT = 'Your confirmation code';
