/**
 * Health, reset, snapshots, the clock and the profile of idempotency keys.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import type * as Sandbox from "../../Sandbox.js"
import * as moment from "../time/moment.js"
import * as use from "./use.js"

export const state = HttpApiBuilder.group(ControlApi.api, "State", (handlers) =>
  handlers
    .handle("health", () => Effect.succeed({ status: "ready" as const }))
    .handle("reset", ({ payload }) => use.sandbox(({ reset }) => reset(payload.seed)))
    .handle("snapshot", () => use.sandbox(({ snapshot }) => snapshot))
    .handle("restore", ({ payload }) =>
      use.sandbox(({ restore }) => Effect.mapError(restore(payload), use.refused))
    )
)

const reading = (nowMillis: number) => ({ now: moment.fromMillis(nowMillis) })

export const clock = HttpApiBuilder.group(ControlApi.api, "Clock", (handlers) =>
  handlers
    .handle("get", () => use.sandbox(({ nowMillis }) => Effect.map(nowMillis, reading)))
    .handle("advance", ({ payload }) =>
      use.sandbox(({ advance }) =>
        advance(payload.seconds * 1000).pipe(
          Effect.mapBoth({ onFailure: use.refused, onSuccess: reading })
        )
      )
    )
)

const toIdempotency = ({
  failures,
  inFlight,
  otherBody,
  retention
}: Sandbox.CurrentIdempotencyProfile): typeof ControlApi.Idempotency.Type => ({
  other_body: otherBody,
  in_flight: inFlight,
  failures,
  retention_seconds: Duration.isFinite(retention) ? Duration.toSeconds(retention) : null
})

export const idempotency = HttpApiBuilder.group(ControlApi.api, "Idempotency", (handlers) =>
  handlers
    .handle("get", () => use.sandbox(({ idempotency }) => Effect.map(idempotency, toIdempotency)))
    .handle("set", ({ payload: { failures, in_flight, other_body, retention_seconds } }) =>
      use.sandbox(({ idempotency, setIdempotency }) =>
        setIdempotency({
          failures,
          inFlight: in_flight,
          otherBody: other_body,
          retention: Duration.seconds(retention_seconds ?? Infinity)
        }).pipe(Effect.zipRight(idempotency), Effect.map(toIdempotency))
      )
    )
)
