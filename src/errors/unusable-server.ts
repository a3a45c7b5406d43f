/** A store's server answers but lacks what the service needs; the message is one line for the operator. */
export class UnusableServerError extends Error {}
