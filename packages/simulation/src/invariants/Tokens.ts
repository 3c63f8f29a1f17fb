/**
 * How a process requests and uses its tokens.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"

/**
 * A process requests one token at a time, and none while it holds a valid one. It does not use an
 * expired token.
 */
export const tokenUse = (evidence: Evidence): ReadonlyArray<string> =>
  Array.from(Sent.grouped(evidence.sent, (one) => String(one.process))).flatMap(
    ([process, sent]) => {
      const violations: Array<string> = []
      const violate = (violation: string) => violations.push(`process ${process}: ${violation}`)
      const requests = sent.filter(Sent.isForToken)
      if (requests.some((one, index) => one.opened < (requests[index - 1]?.closed ?? 0))) {
        violate("requested two tokens at once")
      }
      if (evidence.clockWasSet) return violations
      const held = obtained(requests)
      for (const { answeredMillis, authorization, closedMillis, lifeMillis } of held) {
        // Calls that waited for a token use it even if it expired in transit.
        const endMillis = Math.max(answeredMillis + lifeMillis, closedMillis)
        const late = sent.find(
          (one) => one.authorization === authorization && one.atMillis > endMillis
        )
        if (late !== undefined) violate(`#${late.number} was sent with an expired token`)
      }
      for (const one of requests) {
        const latest = held.filter(({ closed }) => closed < one.opened).at(-1)
        if (latest === undefined) continue
        const rejected = sent.some(
          ({ authorization, closed, received }) =>
            received === 401 && authorization === latest.authorization && closed < one.opened
        )
        // The lifetime counts from the first attempt; renewal starts in its last tenth.
        const first = requests.find(({ span }) => span === latest.span) ?? latest
        const isDue = one.atMillis >= first.atMillis + latest.lifeMillis * 0.9
        if (!rejected && !isDue)
          violate(`#${one.number} requested a token while a valid one was held`)
      }
      return violations
    }
  )

/** The tokens that these requests obtained. */
const obtained = (requests: ReadonlyArray<Sent.Sent>) =>
  requests.flatMap((one) =>
    Option.match(readToken(one.data), {
      onNone: () => [],
      onSome: ({ access_token, expires_in }) => [
        { ...one, authorization: `Bearer ${access_token}`, lifeMillis: expires_in * 1000 }
      ]
    })
  )

/** After its last two tokens were rejected, a source makes no request for at least this time. */
const pauseMillis = 1000

/** Whether the source of a process, with these requests, will not ask for a token. */
export const isPaused = (sent: ReadonlyArray<Sent.Sent>, nowMillis: number): boolean => {
  const ended = sent.filter(({ closedMillis }) => closedMillis <= nowMillis)
  const last = obtained(ended.filter(Sent.isForToken)).slice(-2)
  const rejected = ended.filter(({ received }) => received === 401)
  // A call reports the first token that is rejected to it, and not the second one.
  const reported = rejected.filter(
    (one) => rejected.find(({ span }) => span === one.span)?.authorization === one.authorization
  )
  const rejections = last.map(({ authorization }) =>
    reported.find((one) => one.authorization === authorization)
  )
  const latest = rejections.at(-1)
  return (
    rejections.length === 2 &&
    rejections.every((rejection) => rejection !== undefined) &&
    latest !== undefined &&
    nowMillis - latest.closedMillis <= pauseMillis
  )
}

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.Number })
)
