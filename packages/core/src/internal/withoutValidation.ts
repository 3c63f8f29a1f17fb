/**
 * Constructor options for errors whose fields are already validated: validation is ten times slower,
 * and throws if the caller has unset a redacted value.
 */
export const withoutValidation = { disableValidation: true }
