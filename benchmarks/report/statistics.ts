/** A quantile of sorted numbers. */
export const quantile = (sorted: ReadonlyArray<number>, part: number): number => {
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? NaN
  const above = sorted[Math.ceil(place)] ?? NaN
  return below + (above - below) * (place - Math.floor(place))
}

export interface Quartiles {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

export const quartiles = (numbers: ReadonlyArray<number>): Quartiles => {
  const sorted = [...numbers].sort((one, other) => one - other)
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75)
  }
}

export const median = (numbers: ReadonlyArray<number>): number => quartiles(numbers).median
