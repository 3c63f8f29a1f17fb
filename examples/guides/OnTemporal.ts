import { Errors, IdempotencyKey, Polling } from "@manilla/core"
import { Payout, Payouts } from "@manilla/payouts"
import { Encoding } from "@manilla/workflow-engine"
import { Doubt } from "@manilla/workflows"
import { Cause, Duration, Effect, Exit, type ManagedRuntime, Option } from "effect"

// #region activities
type Payload = typeof Payout.PayoutRequest.Encoded & { readonly key: string }

const answers = Encoding.exitCodec(Payout.CreatedPayout, Errors.KeyedWriteError)

/**
 * Two activities, to register with the worker. Give `send` the options `startToCloseTimeout: "5 minutes"`,
 * `scheduleToCloseTimeout: "15 minutes"` and `retry: { maximumAttempts: 1 }`: only the body may decide to send again.
 */
export const activities = (runtime: ManagedRuntime.ManagedRuntime<Payouts.Payouts, unknown>) => ({
  /** Sends the request once, and returns the answer as text. */
  send: ({ key, ...request }: Payload): Promise<string> =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const answer = yield* Effect.exit(payouts.create(request, { key: IdempotencyKey.make(key) }))
      return (yield* answers.store("the answer", answer)).json
    }).pipe(runtime.runPromise),
  /** Returns the status of the payout, which may not be final. */
  look: (reference: string): Promise<string> =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const { status } = yield* payouts.get(Payout.makeReference(reference))
      return status
    }).pipe(runtime.runPromise)
})
// #endregion activities

// #region body
/** The parts of Temporal that the body uses: the activities of `proxyActivities`, and `sleep`. */
type Temporal = ReturnType<typeof activities> & {
  readonly sleep: (millis: number) => Promise<void>
}

type Result =
  | { readonly reference: string; readonly status: string }
  | { readonly outcome: Errors.Outcome; readonly message: string }

const operation = "Payouts.create"
const deadlineMillis = Duration.toMillis("23 hours")

/**
 * The body of the workflow. Start it with the key as `workflowId`, and with `workflowIdReusePolicy: "REJECT_DUPLICATE"`: a second
 * execution would take a refusal for the outcome of the first. In a workflow, `Date.now` is the time of the history.
 */
export const payOnTemporal = async (
  payload: Payload,
  { look, send, sleep }: Temporal
): Promise<Result> => {
  const key = IdempotencyKey.make(payload.key)
  const message = `${operation}: the worker ended before the answer was stored.`
  const cause = new Errors.TransportError({ operation, message, sent: true })
  const lost = new Errors.OutcomeUnknown({ operation, message, cause, key })
  const failed = (error: Errors.KeyedWriteError): Result => ({
    outcome: Errors.outcome(error),
    message: error.message
  })

  const sendUntilKnown = async (): Promise<Payout.CreatedPayout | Result> => {
    let state = Doubt.start({ operation, key, deadlineMillis })
    for (let pauseMillis = 5_000; ; pauseMillis *= 2) {
      // Temporal stores that an activity is scheduled before it runs. So each request is begun by this life.
      state = Doubt.next(state, { _tag: "Begun", atMillis: Date.now(), isFirst: true }).state
      const sending = { pauseMillis, nowMillis: Date.now(), isCancelled: false }
      const allowed = Doubt.next(state, { _tag: "Sending", ...sending })
      if (allowed._tag === "Fail") return failed(allowed.error)
      const answer = await send(payload).then(
        (text) => Effect.runSync(answers.fromJson(text)),
        () => Exit.fail(lost)
      )
      if (Exit.isSuccess(answer)) return answer.value
      // A defect says nothing about the outcome.
      const error = Option.getOrElse(Cause.failureOption(answer.cause), () => lost)
      const next = Doubt.next(allowed.state, { _tag: "Answered", error })
      if (next._tag === "Fail") return failed(next.error)
      state = next.state
      await sleep(pauseMillis)
    }
  }

  const created = await sendUntilKnown()
  if ("outcome" in created) return created
  let { status } = created
  // For 39 days at most. After that, the payout is followed by its reference.
  for (let round = 0; round < 27 && !Polling.isFinal({ status }); round++) {
    await sleep(30_000 * 1.5 ** round)
    status = await look(created.reference)
  }
  return { reference: created.reference, status }
}
// #endregion body
