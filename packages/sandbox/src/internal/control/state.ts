/**
 * Health, reset, snapshots and the clock.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import * as moment from "../moment.js"
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
