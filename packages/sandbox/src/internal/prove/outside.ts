/**
 * A server in any language and in real time: its buyer, its deaths, and what it says.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as Sandbox from "../../Sandbox.js"
import * as SandboxServer from "../../SandboxServer.js"
import type { Proof } from "../command/proof.js"
import { valueAt } from "../faults/queue.js"
import { Interceptor } from "../http/incoming.js"
import type * as judge from "./judge.js"
import * as servers from "./server.js"
import { Problem } from "./problem.js"
import type { Watch } from "./trial.js"

/** The pause between two questions. */
const ask = Effect.sleep("100 millis")

/** The subject of one run. */
export const make = (proof: Proof, cwd: string, { intercept, isStorm, note }: Watch) =>
  Effect.gen(function* () {
    const { unsafeCurrentTimeMillis: nowMillis } = yield* Effect.clock
    const patienceMillis = Duration.toMillis(proof.patience)
    // Not seeded: a store without `reset` still has the orders of earlier runs.
    const order = crypto.randomUUID()
    const sandbox = yield* SandboxServer.make({
      seed: "prove",
      settleAfter: proof.settle_after
    }).pipe(
      Effect.provideService(Interceptor, intercept),
      Effect.withRandom(Random.make("service"))
    )
    const env = yield* environment(proof, sandbox, order)
    if (proof.reset !== undefined) yield* servers.run({ command: proof.reset, cwd, env })
    const url = new URL(filled(proof.request.url, order))
    const { command } = proof
    const starting = servers.start({ command, cwd, env, url, patienceMillis })
    const begin = Scope.extend(starting, yield* Effect.scope)
    let server = yield* begin
    const keepAlive = Effect.gen(function* () {
      if (server.isRunning()) return
      note("the server starts again")
      // Its child processes may still run.
      yield* server.kill
      server = yield* begin
    })
    const untilMillis = nowMillis() + patienceMillis
    /** The requests of the buyer that are not answered yet. */
    let sending: Array<Promise<Answered>> = []
    const send = () => void sending.push(answerOf(proof.request, order, patienceMillis))
    const live = (isTwice: boolean) =>
      Effect.gen(function* () {
        sending = []
        send()
        if (isTwice) send()
        for (;;) {
          const all = Effect.promise(() => Promise.all(sending))
          const answers = yield* Effect.raceFirst(all, Effect.as(ask, undefined))
          yield* keepAlive
          if (answers === undefined && !isStorm()) continue
          return (answers ?? []).map(({ status = 0 }) => {
            note(`the buyer gets ${status || "no response"}`)
            // The buyer reads an error as “not paid”.
            return status >= 500 || status === 402 ? "not paid" : undefined
          })
        }
      })
    const told = Effect.gen(function* () {
      yield* keepAlive
      const { path, url } = proof.told
      const request = { ...proof.told, method: "GET" }
      const { status, text } = yield* Effect.promise(() => answerOf(request, order, patienceMillis))
      if (status === undefined || status >= 400) return note(`told answers ${status ?? text}`)
      const word = toldIn(proof.told, text)
      if (word !== undefined) return word
      const place = path === undefined ? "" : ` at “${path}”`
      return yield* new Problem({
        message: `“told” (${url}) answered ${text.slice(0, 200)}, which has none of its words${place}. Add the word to paid, not_paid, open or review.`
      })
    })
    return {
      sandbox,
      script: ["request of the buyer"],
      live: (_: string, isTwice: boolean) => live(isTwice),
      told,
      /** Until the state is final, and at least until a new payment is settled and a fault is over. */
      pass: (round: number, question: Effect.Effect<judge.Told, Problem>) =>
        Effect.gen(function* () {
          const until = nowMillis() + Math.min(1000 * 2 ** round, 8000)
          do yield* ask
          while ((yield* question) === "open" && nowMillis() < until)
        }),
      isOver: () => nowMillis() > untilMillis,
      die: Effect.suspend(() => {
        note("the server is killed", "bad")
        return server.kill
      }),
      again: send
    }
  })

const filled = (text: string, order: string) => text.replaceAll("{order}", order)

const environment = (proof: Proof, sandbox: Sandbox.Service, order: string) =>
  Effect.gen(function* () {
    const { client_id, client_secret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const given: Readonly<Record<string, string>> = {
      MANILLA_BASE_URL: sandbox.baseUrl,
      MANILLA_AUTH_URL: sandbox.authUrl,
      MANILLA_CLIENT_ID: client_id,
      MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
      MANILLA_ENVIRONMENT: "SANDBOX",
      MANILLA_WALLET_ID: wallet?.id ?? ""
    }
    const own = Record.map(proof.env, (value) =>
      filled(String(value), order).replace(
        /\{(\w+)\}/g,
        (whole, name: string) => given[`MANILLA_${name.toUpperCase()}`] ?? whole
      )
    )
    return { ...given, ...own }
  })

interface Answered {
  /** `undefined` without a response. */
  readonly status?: number
  readonly text: string
}

/** Sends a request. Never fails. */
const answerOf = async (
  { body, headers, method, url }: Pick<Proof["request"], "headers" | "method" | "url" | "body">,
  order: string,
  patienceMillis: number
): Promise<Answered> => {
  const isJson = body !== undefined && typeof body !== "string"
  const text = isJson ? JSON.stringify(body) : String(body)
  try {
    const response = await fetch(filled(url, order), {
      method,
      headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
      body: body === undefined ? null : filled(text, order),
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMillis)
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const cause = Predicate.isError(error) ? (error.cause ?? error) : error
    return { text: Predicate.isError(cause) ? cause.message : String(cause) }
  }
}

const parse = Schema.decodeOption(Schema.parseJson())

const toldIn = (
  { not_paid, open, paid, path, review }: Proof["told"],
  text: string
): judge.Told | undefined => {
  const value =
    path === undefined ? Option.none() : Option.map(parse(text), (json) => valueAt(json, path))
  const has = (word: unknown) =>
    path === undefined
      ? text.includes(String(word))
      : Option.exists(value, (found) => String(found) === String(word))
  const words = { paid, "not paid": not_paid, review, open } as const
  return (["paid", "not paid", "review", "open"] as const).find((told) => words[told]?.some(has))
}
