/** Creates what the probe needs, and writes the profile. */
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import * as Gateway from "@manilla/core/Gateway"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { failed, ofCall, usage } from "../failure.js"
import * as fields from "../fields.js"
import * as output from "../output.js"
import * as service from "../service.js"
import type { Given } from "./command.js"
import * as learn from "./learn.js"
import * as wire from "./wire.js"

/** A request that should be accepted, and others that should be refused. */
const offer = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const { services } = yield* Effect.mapError(gateway.calls(CatalogueApi.group).list({}), ofCall)
  const bodies = (isWanted: boolean) =>
    services
      .filter(({ available, operation }) => available === isWanted && operation === "COLLECTION")
      .map(({ country, currency, operation, payment_method }) => ({
        country: country.code,
        currency: currency.code,
        operation,
        payment_method
      }))
  const [good] = bodies(true)
  if (good === undefined) return yield* failed("The catalogue has no available COLLECTION.")
  return { good, refusals: [...bodies(false).slice(0, 2), { payment_method: "no_such_method" }] }
})

const profileOf = (baseUrl: string, now: number, findings: ReadonlyArray<learn.Finding>) => ({
  service: baseUrl,
  probed_at: new Date(now).toISOString(),
  ...fields.assemble(findings.map(({ path, value }) => [path.split("."), value])),
  evidence: Object.fromEntries(findings.map(({ evidence, path }) => [path, evidence]))
})

export const probe = ({ out, phone, yes }: Given) =>
  Effect.gen(function* () {
    const token = yield* service.token
    if (token.environment !== "SANDBOX") {
      return yield* usage(
        `The credentials are for ${token.environment}. The probe runs in SANDBOX only.`
      )
    }
    const { baseUrl } = yield* Effect.mapError(Gateway.config, service.settingFailure)
    const { good, refusals } = yield* offer
    const { country, currency } = good
    const amount = "100"
    const plan = `The probe creates up to ${4 + refusals.length} payments of ${amount} ${currency} and 2 payment links at ${baseUrl}, and makes mistakes on purpose.`
    if (yes) yield* Console.log(plan)
    else yield* service.sayingStopped()(service.ask(`${plan} Go on?`))
    const now = yield* Clock.currentTimeMillis
    const findings = yield* learn.all({
      send: yield* wire.make(baseUrl, token),
      run: String(now),
      payment: { ...good, amount, payer: { phone_number: phone } },
      refusals,
      link: { amount, country, currency }
    })
    const profile = profileOf(baseUrl, now, findings)
    yield* Effect.sync(() => writeFileSync(out, `${JSON.stringify(profile, undefined, 2)}\n`))
    for (const { evidence, path, value } of findings) {
      const words = value === undefined ? "not learned" : output.text(value)
      yield* Console.log(output.wrapped(`${path}: `, `${words}. ${evidence}`))
    }
    yield* Console.log(`The profile is ${out}.`)
    const parameter = findings.find(({ path }) => path === "page.parameter")?.value
    if (parameter !== undefined) {
      yield* Console.log(`export MANILLA_PAGE_PARAMETER='${String(parameter)}'`)
    }
  }).pipe(Effect.provide(service.live))
