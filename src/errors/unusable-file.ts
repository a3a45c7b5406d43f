/** A file of a store cannot be used as it is; the message is one line for the operator. */
export class UnusableFileError extends Error {}
