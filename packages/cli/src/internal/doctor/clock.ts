/** Compares the clock of this machine with that of a host. */
import { type Finding, ok, warn } from "./finding.js"

const skewMostSeconds = 5

const remedy = "Let the system set the clock (NTP): deadlines and reports use it."

/**
 * The header `Date` has whole seconds, and was written between two readings of our clock. So the difference is known as
 * a range only.
 */
export const compare = (
  host: string,
  date: string | undefined,
  beforeMillis: number,
  afterMillis: number
): Finding => {
  const theirs = Date.parse(date ?? "")
  if (Number.isNaN(theirs)) return ok("clock", `${host} does not tell its time.`)
  const least = Math.floor((beforeMillis - theirs - 1000) / 1000)
  const most = Math.ceil((afterMillis - theirs) / 1000)
  if (least <= 0 && most >= 0) {
    const range = Math.max(-least, most)
    return ok("clock", `The clocks of this machine and ${host} differ by at most ${range} s.`)
  }
  const [low, high] = least > 0 ? [least, most] : [-most, -least]
  const text = `This machine is ${low} to ${high} s ${least > 0 ? "ahead of" : "behind"} ${host}.`
  return low >= skewMostSeconds ? warn("clock", text, remedy) : ok("clock", text)
}
