/** Commands that make a payment or a payout, and follow it until its status is final. */
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { exitCodes, Failure } from "./Failure.js"
import * as fields from "./fields.js"
import * as output from "./output.js"
import type { Write } from "./write.js"

/** What is read again and again. */
interface Subject {
  readonly group: string
  readonly get: Operation.Operation
  /** The member by which it is read, and the name of that parameter. */
  readonly by: "id" | "reference"
  readonly parameter: string
}

const open = (message: string) => new Failure({ code: exitCodes.Open, message })

/** Prints a change, with the time of day of this machine. */
const note = (line: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Console.error(`${new Date(now).toLocaleTimeString("sv-SE")}  ${line}`)
  )

const resourceOf = (data: unknown, by: string) => ({
  id: String(fields.valueIn(data, [by])),
  status: String(fields.valueIn(data, ["status"])),
  data
})

const follow =
  ({ by, get, group, parameter }: Subject): Write["conclude"] =>
  (data, look, again) =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.Gateway
      const calls = gateway.calls(Operation.group(group, { get: Operation.safe(get) }))
      const { waits } = Polling.make({
        operation: `${group}.awaitFinal`,
        by: "id",
        read: (id: string, options) =>
          Effect.map(calls.get({ path: { [parameter]: id } }, options), (read) =>
            resourceOf(read, by)
          ),
        stillPending: (_, { message }) => open(message)
      })
      const created = resourceOf(data, by)
      yield* note(`${created.id}: ${created.status}`)
      const final = yield* waits.changes(created.id).pipe(
        Stream.tap(({ status }) =>
          Effect.when(note(`${created.id}: ${status}`), () => status !== created.status)
        ),
        Stream.runLast,
        Effect.map(Option.getOrElse(() => created)),
        Effect.mapError(({ message }) => open(`It exists. ${message}\nFollow it with:\n  ${again}`))
      )
      yield* output.resource(final.data, fields.of(get.success), look)
      if (final.status === "COMPLETED") return
      return yield* open(
        `The final status is ${output.text(final.status)}, not COMPLETED. Ask the service what it means before you try again with another key.`
      )
    })

const payment: Write = {
  command: "payments collect",
  about: "Collect a payment and follow it until its status is final",
  group: "Payments",
  name: "create",
  operation: PaymentsApi.create,
  fixed: { operation: "COLLECTION" },
  conclude: follow({
    group: "Payments",
    get: PaymentsApi.get,
    by: "id",
    parameter: "paymentIntent"
  })
}

const payout: Write = {
  command: "payouts disburse",
  about: "Pay a beneficiary and follow the payout until its status is final",
  group: "Payouts",
  name: "create",
  operation: PayoutsApi.create,
  conclude: follow({
    group: "Payouts",
    get: PayoutsApi.get,
    by: "reference",
    parameter: "reference"
  })
}

export const writes = [payment, payout]
