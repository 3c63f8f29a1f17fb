/**
 * One run of a server in any language, in real time: its buyer, its deaths, and what it says.
 */
import type * as HttpServerError from "@effect/platform/HttpServerError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { setTimeout as sleep } from "node:timers/promises"
import * as SandboxServer from "../../SandboxServer.js"
import type * as Sandbox from "../../Sandbox.js"
import { millisOf, type Proof } from "../command/proof.js"
import { valueAt } from "../faults/queue.js"
import { Interceptor } from "../http/incoming.js"
import { Problem } from "./all.js"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import * as record from "./record.js"
import * as servers from "./server.js"

/** The life of a buyer, in the words of the report. */
const life = "request of the buyer"

/** The pause between two questions. */
const askMillis = 100

/** Runs the server until nothing changes. Without the calm run, this is the calm run. */
export const trial = (
  proof: Proof,
  cwd: string,
  run: plan.Run,
  known: judge.Calm | undefined
): Effect.Effect<record.Trial, Problem | HttpServerError.ServeError | Sandbox.DataError> =>
  Effect.gen(function* () {
    const patienceMillis = millisOf(proof.patience)
    const order = crypto.randomUUID()
    const clock = yield* Effect.clock
    const nowMillis = () => clock.unsafeCurrentTimeMillis()
    const log = record.make(run, known, nowMillis)
    const { note, violate } = log
    let server: servers.Server | undefined
    /** The requests of the buyer that are not answered yet. */
    let sending: Array<Promise<Answered>> = []
    const send = () => {
      note("the buyer sends the request")
      sending.push(answerOf(proof.request, order, patienceMillis))
    }
    const timing = {
      lastsMillis: millisOf(proof.lasts),
      lateMillis: millisOf(proof.deadline) + 1000
    }
    const injection = plan.inject(run, timing, {
      die: Effect.suspend(() => {
        note("the server is killed", "bad")
        return server?.kill ?? Effect.void
      }),
      again: send,
      note: (text) => note(`fault: ${text}`)
    })
    const sandbox = yield* SandboxServer.make({
      seed: "prove",
      settleAfter: millisOf(proof.settle_after)
    }).pipe(
      Effect.provideService(Interceptor, injection.intercept),
      Effect.withRandom(Random.make("service"))
    )
    const env = yield* environment(proof, sandbox, order)
    const books = Effect.suspend(() => judge.read(sandbox, injection.held()))
    const url = new URL(filled(proof.request.url, order))
    if (proof.reset !== undefined) yield* servers.run({ command: proof.reset, cwd, env })
    const start = Effect.gen(function* () {
      if (server?.isRunning()) return
      if (server !== undefined) {
        note("the server starts again")
        // What is left of its group.
        yield* server.kill
      }
      server = yield* servers.start({
        command: proof.command,
        cwd,
        env,
        url,
        patience: patienceMillis
      })
    })
    yield* start

    let problem: string | undefined = "never answered"
    const ask = Effect.gen(function* () {
      const before = yield* books
      const answered = yield* Effect.promise(() =>
        answerOf({ ...proof.told, method: "GET" }, order, patienceMillis)
      )
      if (answered.status === undefined || answered.status >= 400) {
        if (problem !== undefined) problem = `answered ${answered.status ?? answered.text}`
        return "open"
      }
      const told = toldIn(proof.told, answered.text)
      if (told === undefined) {
        return yield* new Problem({
          message: `“told” (${proof.told.url}) answered ${answered.text.slice(0, 200)}, which has none of its words${proof.told.path === undefined ? "" : ` at “${proof.told.path}”`}. Add the word to paid, not_paid, open or review.`
        })
      }
      problem = undefined
      log.hear(told, "told", before, yield* books)
      return told
    })

    let told: judge.Told = "open"
    let once: judge.Books | undefined
    const until = nowMillis() + patienceMillis
    for (let round = 0; ; round++) {
      const before: judge.Told = told
      if (injection.begin(life)) send()
      send()
      // Questions while the request is under way, and until the state is final.
      const roundEnd = nowMillis() + Math.min(1000 * 2 ** round, 8000)
      let isAnswered = false
      for (;;) {
        const answers = yield* Effect.promise(() =>
          Promise.race([Promise.all(sending), sleep(askMillis, undefined)])
        )
        if (answers !== undefined) {
          const now = yield* books
          for (const { status } of isAnswered ? [] : answers) {
            note(`the buyer gets ${status ?? "no answer"}`)
            // The buyer reads an error as “not paid”.
            if (status !== undefined && (status >= 500 || status === 402)) {
              log.hear("not paid", `the answer ${status} tells`, now, now)
            }
          }
          isAnswered = true
        }
        yield* start
        told = yield* ask
        if (log.isStorm(injection)) break
        if (isAnswered && (told !== "open" || nowMillis() > roundEnd)) break
        if (answers !== undefined) yield* Effect.promise(() => sleep(askMillis))
      }
      sending = []
      const now = yield* books
      once ??= now
      if (log.isLost(injection, now)) break
      if (round > 0 && told === before && log.isCalm(told, injection, now)) break
      if (nowMillis() > until) {
        if (told === "open") violate({ rule: 3, sentence: unended(proof) })
        break
      }
      // A new payment is settled, and a fault is over, before the buyer sends again.
      yield* Effect.promise(() => sleep(askMillis))
    }
    if (run.number === 0 && problem !== undefined) {
      return yield* new Problem({
        message: `“told” (${proof.told.url}) ${problem}. It must answer with a status below 400 after the request of the buyer.`
      })
    }
    return log.end({ books: yield* books, injection, once, told })
  }).pipe(Effect.scoped)

const unended = ({ patience }: Proof) =>
  `After ${patience} the order is still open: nothing finds out what became of it.`

const filled = (text: string, order: string) => text.replaceAll("{order}", order)

const environment = (proof: Proof, sandbox: Sandbox.Service, order: string) =>
  Effect.gen(function* () {
    const { client_id, client_secret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const values: Readonly<Record<string, string>> = {
      base_url: sandbox.baseUrl,
      auth_url: sandbox.authUrl,
      client_id,
      client_secret: Redacted.value(client_secret),
      environment: "SANDBOX",
      wallet_id: wallet?.id ?? ""
    }
    const given = Object.entries(values).map(([name, value]) => [
      `MANILLA_${name.toUpperCase()}`,
      value
    ])
    const own = Object.entries(proof.env).map(([name, value]) => [
      name,
      filled(String(value), order).replace(
        /\{(\w+)\}/g,
        (whole, key: string) => values[key] ?? whole
      )
    ])
    return Object.fromEntries([...given, ...own]) as Readonly<Record<string, string>>
  })

interface Answered {
  /** `undefined` without an answer. */
  readonly status: number | undefined
  readonly text: string
}

/** Sends a request. Never fails. */
const answerOf = async (
  request: Pick<Proof["request"], "headers" | "method" | "url" | "body">,
  order: string,
  patienceMillis: number
): Promise<Answered> => {
  const { body, headers, method, url } = request
  const isText = typeof body === "string"
  try {
    const response = await fetch(filled(url, order), {
      method,
      headers: {
        ...(body === undefined || isText ? {} : { "content-type": "application/json" }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      },
      ...(body === undefined ? {} : { body: filled(isText ? body : JSON.stringify(body), order) }),
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMillis)
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const cause = Predicate.isError(error) ? (error.cause ?? error) : error
    return { status: undefined, text: Predicate.isError(cause) ? cause.message : String(cause) }
  }
}

const toldIn = (
  { not_paid, open, paid, path, review }: Proof["told"],
  text: string
): judge.Told | undefined => {
  const has = wordIn(path, text)
  if (paid.some(has)) return "paid"
  if (not_paid.some(has)) return "not paid"
  if (review?.some(has)) return "review"
  return open.some(has) ? "open" : undefined
}

const parse = Schema.decodeOption(Schema.parseJson())

/** Whether a word is the value at a path, or part of a text. */
const wordIn = (path: string | undefined, text: string) => {
  if (path === undefined) return (word: unknown) => text.includes(String(word))
  const value = Option.map(parse(text), (json) => valueAt(json, path))
  return (word: unknown) => Option.exists(value, (found) => String(found) === String(word))
}
