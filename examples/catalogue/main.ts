/**
 * Prints the available services: payment methods by country and operation.
 * Takes 4 seconds.
 */
import { Catalogue } from "@manilla/catalogue"
import { Console, Effect } from "effect"
import * as Example from "../support/Example.js"

const program = Effect.gen(function* () {
  const catalogue = yield* Catalogue.Catalogue
  const { services } = yield* catalogue.list()
  for (const country of new Set(services.map(({ country }) => country.code))) {
    const here = services.filter((service) => service.country.code === country)
    yield* Console.log(`${here[0]?.country.name ?? country}`)
    for (const operation of new Set(here.map((service) => service.operation))) {
      const methods = here
        .filter((service) => service.operation === operation)
        .map(({ available, payment_method }) =>
          available ? payment_method : `${payment_method} (unavailable)`
        )
      yield* Console.log(`  ${operation.padEnd(12)} ${methods.join(", ")}`)
    }
  }
})

Example.run("Available services", program)
