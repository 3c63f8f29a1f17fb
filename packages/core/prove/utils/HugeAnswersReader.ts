/**
 * Reads a list once for every name that it is given, with a client as it is shipped, and writes to
 * its output how each of the calls ended. It runs in a process of its own: what it reads is made to
 * end one.
 *
 * Arguments: the client, the base URL, and the names.
 */
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import * as Clients from "../../test/utils/Clients.js"

const Row = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  amount: Schema.optional(Schema.String),
  created_at: Schema.optional(Schema.NullOr(Schema.String))
})

const group = Operation.group("Things", {
  list: Operation.safe({
    method: "GET",
    path: "/things",
    summary: "List things",
    access: "payments.read",
    urlParams: Schema.Struct({ answer: Schema.String }),
    success: Page.of(Row)
  })
})

const [name, baseUrl = "", ...answers] = process.argv.slice(2)
const client = Clients.names.find((known) => known === name) ?? "fetch"

const program = Effect.gen(function* () {
  const gateway = yield* Gateway.make({ baseUrl }, FakeService.tokens())
  const { list } = gateway.calls(group)
  for (const answer of answers) {
    const ended = yield* list({ urlParams: { answer } }).pipe(
      Effect.match({
        onSuccess: ({ data }) => ({ tag: "Success", rows: data.length, shown: 0 }),
        onFailure: (error) => ({
          tag: error._tag,
          reason: error._tag === "MalformedResponseError" ? error.reason : undefined,
          shown: [
            String(error),
            JSON.stringify(error),
            inspect(error, { depth: null, maxStringLength: null })
          ].join("").length
        })
      }),
      Effect.catchAllCause((cause) => Effect.succeed({ tag: `a defect: ${String(cause)}` }))
    )
    yield* Effect.sync(() => {
      process.stdout.write(JSON.stringify({ answer, ...ended }) + "\n")
    })
  }
})

await Effect.runPromise(Effect.provide(program, Clients.layers[client]))
