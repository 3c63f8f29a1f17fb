import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Effect from "effect/Effect"

const methods = Effect.gen(function* () {
  const catalogue = yield* Catalogue.Catalogue
  return yield* catalogue.available({ country: "BJ", currency: "XOF", operation: "COLLECTION" })
})
