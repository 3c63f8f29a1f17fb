import * as Cardholder from "@manilla/cards/Cardholder"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Effect from "effect/Effect"

const holder = Effect.gen(function* () {
  const cardholders = yield* Cardholders.Cardholders
  return yield* cardholders.get(
    Cardholder.CardholderId.make("5a1d0c7e-3f43-4f0e-8f7b-1c2d3e4f5a6b")
  )
})
