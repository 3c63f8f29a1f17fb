/**
 * The random numbers of a run, all derived from one seed.
 */
import { PCGRandom } from "effect/Utils"

export interface Chance {
  /** An integer from `min` to `max`, inclusive. */
  readonly between: (min: number, max: number) => number
  /** `true` with this probability. */
  readonly often: (probability: number) => boolean
  /** One of the items. */
  readonly pick: <A>(items: readonly [A, ...ReadonlyArray<A>]) => A
  /** One of the names, by weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
  /** An independent generator, for a part of the run that must not affect the draws of others. */
  readonly fork: () => Chance
}

export const make = (seed: number): Chance =>
  from(new PCGRandom(Math.floor(seed / 2 ** 32), seed >>> 0))

const from = (random: PCGRandom): Chance => {
  const between = (min: number, max: number) => min + random.integer(max - min + 1)
  return {
    between,
    often: (probability) => random.number() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    weighted: (weights) => {
      const entries = Object.entries<number>(weights)
      let left = random.number() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]
      // The names are the keys of the weights.
      return found?.[0] as keyof typeof weights
    },
    fork: () => from(new PCGRandom(random.integer(2 ** 31), random.integer(2 ** 31)))
  }
}
