import * as ControlClient from "@manilla/sandbox/ControlClient"
import * as Effect from "effect/Effect"

const nextDay = Effect.gen(function* () {
  const control = yield* ControlClient.make({ url: "http://127.0.0.1:4010" })
  yield* control.Faults.add({ payload: { fault: "drop_after", count: 3 } })
  yield* control.Clock.advance({ payload: { seconds: 86_400 } })
})
