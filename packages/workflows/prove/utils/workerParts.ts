/** The shared parts of the worker processes of the kill tests. */
import * as Gateway from "@manilla/core/Gateway"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Token from "@manilla/token/Token"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Credentials, type Job, jobs, type Settings } from "./jobs.js"

/**
 * Short pauses, so that a kill meets every step within seconds. A deadline is longer than the longest soak, and a look may
 * take longer than those of a thousand executions at once: if all give up, none ends.
 */
export const policy = {
  carryOn: { initial: "300 millis", factor: 1.5, deadline: "1 day" },
  look: { initial: "100 millis", factor: 1.5, cap: "300 millis", deadline: "5 seconds" },
  wait: { initial: "300 millis", factor: 1.2, deadline: "1 day" }
} as const

/** Short times, so that a fault does not slow the test down. */
export const shortRetry = { base: "20 millis", attempts: 2, attemptTimeout: "2 seconds" } as const

/** The gateway to the service, over any client. */
export const gateway = (
  { authUrl, baseUrl, clientId, clientSecret }: Credentials,
  retry: Partial<RetryPolicy.RetryPolicy> = {}
) =>
  Layer.provideMerge(
    Gateway.layer({ baseUrl, retry, pageParameter: "page" }),
    Token.layer({ authUrl, clientId, clientSecret: Redacted.make(clientSecret), retry })
  )

/** Prints a line for the test, which reads it. */
export const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** Runs all jobs. Prints `ready`, the end of each as `end KEY TEXT`, and `ended` when all have ended. */
export const ends = <R>(
  settings: Settings,
  execute: (job: Job) => Effect.Effect<unknown, unknown, R>
) =>
  Effect.gen(function* () {
    yield* print("ready")
    const end = (job: Job) =>
      execute(job).pipe(
        Effect.exit,
        Effect.map(Exit.match({ onSuccess: () => "success", onFailure: Cause.pretty })),
        Effect.flatMap((text) => print(`end ${job.businessKey} ${JSON.stringify(text)}`))
      )
    yield* Effect.forEach(jobs(settings), end, { concurrency: 100, discard: true })
    yield* print("ended")
  })
