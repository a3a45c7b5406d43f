/** What users are sent. Subjects show on locked screens, so they hold no code. */
export interface UserMessage {
  readonly subject: string;
  readonly text: string;
}

/** The code is the only run of six digits, so that phones can offer to fill it in. */
export const codeMessage = (code: string): UserMessage => ({
  subject: 'Your confirmation code',
  text: `Your confirmation code is ${code}. It is valid for 10 minutes. Please do not share it with anyone.`,
});

/** Without the new number: the message may reach a person who is no longer, or never was, the user. */
export const PHONE_CHANGE_MESSAGE: UserMessage = {
  subject: 'Your phone number was changed',
  text: 'The phone number of your account was changed; if it was not you who changed it, please contact us at once.',
};
