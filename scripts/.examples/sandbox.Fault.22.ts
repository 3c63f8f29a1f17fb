import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"

const threeLostResponses = Effect.flatMap(Sandbox.Sandbox, (sandbox) =>
  sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", times: 3 }))
)
