/** The path of the hosted page of a payment link. */
export const pathOf = (reference: string) => `/checkout/${reference}` as const
