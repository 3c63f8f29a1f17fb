import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Arr from "effect/Array"
import * as Order from "effect/Order"

/**
 * The name that may be meant by a text, such as `phone` by `phone_number` or `phnoe`. Names are long, so a part of one
 * is enough, in capitals or not, and less than half may differ. The sandbox also compares codes of two letters, so it
 * has another rule.
 */
export const nearest = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const small = text.toLowerCase()
  const isPart = (name: string) => name.includes(small) || small.includes(name)
  const distance = (name: string) =>
    isPart(name.toLowerCase())
      ? 0
      : AutoCorrect.levensteinDistance(name, text, CliConfig.defaultConfig)
  const [first = ""] = Arr.sortWith(names, distance, Order.number)
  return 2 * distance(first) < Math.min(first.length, text.length) ? first : undefined
}
