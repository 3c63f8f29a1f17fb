/**
 * Merges options with defaults. A member that is `undefined` counts as not set.
 */
export const withDefaults = <A extends object>(defaults: A, options: Partial<A> = {}): A => {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...defaults, ...set }
}
