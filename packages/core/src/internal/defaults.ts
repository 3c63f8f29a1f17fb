/**
 * Options over defaults. A member that is there and `undefined`, as JavaScript and looser compilers
 * allow, is one that is not set.
 */
export const withDefaults = <A extends object>(defaults: A, options: Partial<A> = {}): A => {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...defaults, ...set }
}
