/**
 * How our own errors are made, of what was checked before: to check it again takes ten times as long,
 * and throws where a caller has wiped what was secret.
 */
export const withoutValidation = { disableValidation: true }
