/**
 * The file of `manilla-sandbox prove`: a server, what its buyer sends, and what it says about an order.
 */
import * as Schema from "effect/Schema"
import { defaults, Delay, Text } from "./cli.js"
import * as input from "./input.js"

const Url = Schema.String.pipe(
  Schema.filter((text) => /^http:\/\/[^/]+:\d+(\/|$)/.test(text) && URL.canParse(text), {
    description: `a URL of your server with its port, such as "http://127.0.0.1:3000/orders/{order}"`
  })
)

const Scalar = Schema.Union(Schema.String, Schema.Number, Schema.Boolean).annotations({
  description: "a text, a number or a boolean"
})

const Words = Schema.NonEmptyArray(Scalar).annotations({
  description: `a list of words, such as ["paid"]`
})

const Whole = Schema.Int.pipe(
  Schema.between(0, 10_000, { description: "a whole number from 0 to 10000" })
)

const Members = Schema.Record({ key: Schema.String, value: Scalar })

export const Proof = Schema.Struct({
  /** Starts the server, in a shell. */
  command: Text,
  /** More variables. Their values may have `{base_url}` and so on. */
  env: defaults(Members, {}),
  /** A command that puts the store back, before each run. */
  reset: Schema.optional(Text),
  /** The request of a buyer, who may repeat it. `{order}` is the id of a new order in each run. */
  request: Schema.Struct({
    method: defaults(Text, "POST"),
    url: Url,
    headers: defaults(Members, {}),
    /** A text, or JSON. */
    body: Schema.optional(Schema.Unknown)
  }),
  /** The state of the order, as the server tells it. */
  told: Schema.Struct({
    url: Url,
    headers: defaults(Members, {}),
    /** The members that lead to the word in JSON, such as `order.state`. Without it, the text has the word. */
    path: Schema.optional(Text),
    paid: Words,
    not_paid: Words,
    open: Words,
    review: Schema.optional(Words)
  }),
  /** The longest time that the server waits for a response of the service. A late response is later. */
  deadline: defaults(Delay, "10 seconds"),
  /** How long a fault for a time lasts. */
  lasts: defaults(Delay, "3 seconds"),
  /** How long the server may take to start, and how long a run may take. */
  patience: defaults(Delay, "60 seconds"),
  /** How long a payment stays PENDING. */
  settle_after: defaults(Delay, "300 millis"),
  pairs: defaults(Whole, 10),
  seed: defaults(Whole, 1)
})

export interface Proof extends Schema.Schema.Type<typeof Proof> {}

export const read = input.use("prove", input.yaml(Proof, { numbersAsText: false }))
