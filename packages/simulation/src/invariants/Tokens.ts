/**
 * How a process comes by its tokens, and how long it uses them.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"

/**
 * A process asks for one token at a time, however many of its calls wait for one, and for none while
 * it has a good one. A token is not used beyond its end.
 */
export const tokens = (evidence: Evidence): ReadonlyArray<string> =>
  Array.from(Sent.grouped(evidence.sent, (one) => String(one.process))).flatMap(
    ([process, own]) => {
      const violations: Array<string> = []
      const say = (what: string) => violations.push(`process ${process}: ${what}`)
      const asked = own.filter(Sent.isForToken)
      if (asked.some((one, index) => one.opened < (asked[index - 1]?.closed ?? 0))) {
        say("asked for two tokens at once")
      }
      if (evidence.clockWasSet) return violations
      const held = asked.flatMap((one) =>
        Option.match(readToken(one.data), {
          onNone: () => [],
          onSome: ({ access_token, expires_in }) => [
            { ...one, authorization: `Bearer ${access_token}`, lifeMillis: expires_in * 1000 }
          ]
        })
      )
      for (const { answeredMillis, authorization, closedMillis, lifeMillis } of held) {
        // One that is longer on its way than it lives is tried by those who waited for it.
        const endMillis = Math.max(answeredMillis + lifeMillis, closedMillis)
        const late = own.find(
          (one) => one.authorization === authorization && one.atMillis > endMillis
        )
        if (late !== undefined) say(`#${late.number} was sent with a token that had ended`)
      }
      for (const one of asked) {
        const latest = held.filter(({ closed }) => closed < one.opened).at(-1)
        if (latest === undefined) continue
        const refused = own.some(
          ({ authorization, closed, heard }) =>
            heard === 401 && authorization === latest.authorization && closed < one.opened
        )
        // Its life counts from the first attempt; renewal begins when a tenth of it is left.
        const first = asked.find(({ span }) => span === latest.span) ?? latest
        const old = one.atMillis >= first.atMillis + latest.lifeMillis * 0.9
        if (!refused && !old) say(`#${one.number} asked for a token, and there was a good one`)
      }
      return violations
    }
  )

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.Number })
)
