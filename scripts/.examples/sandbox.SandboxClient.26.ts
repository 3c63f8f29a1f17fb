import * as Payments from "@manilla/payments/Payments"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Layer from "effect/Layer"

const test = Payments.layer.pipe(
  Layer.provideMerge(SandboxGateway.layer()),
  Layer.provideMerge(SandboxClient.layer({ settleAfter: "30 seconds" }))
)
