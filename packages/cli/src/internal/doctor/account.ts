/** What the credentials allow, and what the service offers. */
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as ServiceApi from "@manilla/service/ServiceApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as output from "../output.js"
import * as service from "../service.js"
import { fail, type Finding, ok, warn } from "./finding.js"

/** The operations that the scopes of the token allow. */
const scopesOf = (granted: ReadonlyArray<string>) => {
  const all = [...ServiceApi.operations].filter(([, { access }]) => access !== "credentials")
  const namesOf = (is: (access: string) => boolean) =>
    all.flatMap(([name, { access }]) => (is(access) ? [name] : [])).join(", ") || "none"
  const missing = all.filter(([, { access }]) => access !== "bearer" && !granted.includes(access))
  return [
    ok("scopes", `Allowed: ${namesOf((access) => granted.includes(access))}.`),
    ok("scopes", `Of unstated scope: ${namesOf((access) => access === "bearer")}.`),
    ...missing.map(([name, { access }]) =>
      warn("scopes", `${name} is not allowed.`, `If you need it, ask for the scope ${access}.`)
    )
  ]
}

const slowMillis = 2_000

const closedIn = ({ services }: typeof CatalogueApi.list.success.Type): Finding => {
  const closed = services
    .filter(({ available }) => !available)
    .map((one) => `${one.operation} by ${one.payment_method} in ${one.country.code}`)
  const text = `${services.length} services, ${closed.length} of them unavailable.`
  return closed.length === 0
    ? ok("catalogue", text)
    : warn("catalogue", text, `Do not offer: ${closed.join(", ")}.`)
}

const again = "Run `manilla doctor` again. If it fails again, ask the service."

/** The catalogue, and how long its reads take. */
const catalogue = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const read = gateway.calls(CatalogueApi.group).list({}, { retry: { attempts: 1 } })
  const offer = yield* read
  // The first read may have waited for a connection.
  const [took] = yield* Effect.timed(read)
  const millis = Math.round(Duration.toMillis(took))
  const text = `A read takes ${millis} ms.`
  return [
    closedIn(offer),
    millis < slowMillis
      ? ok("latency", text)
      : warn("latency", text, "Check the network and a proxy in between.")
  ]
}).pipe(Effect.catchAll(({ message }) => Effect.succeed([fail("catalogue", message, again)])))

const noToken = (host: string, { cause, message }: Errors.TokenUnavailableError): Finding => {
  if (cause?._tag !== "UnauthorizedError") return fail("token", message, again)
  const code = cause.code === undefined ? "" : `, ${output.text(cause.code)}`
  return fail(
    "token",
    `${host} refuses the credentials (status 401${code}).`,
    "Correct MANILLA_CLIENT_ID and MANILLA_CLIENT_SECRET: copy both again, and set them exactly."
  )
}

/** Findings about the account of the credentials. `authHost` issues its tokens. */
export const account = (authHost: string) =>
  Effect.gen(function* () {
    const token = yield* Effect.either(service.bearer)
    if (token._tag === "Left") return [noToken(authHost, token.left)]
    const { environment, scopes } = token.right
    return [
      ok("token", `The tokens are for the environment ${environment}.`),
      ...scopesOf(scopes),
      ...(yield* catalogue)
    ]
  }).pipe(
    Effect.provide(service.live),
    Effect.catchAll(({ message }) => Effect.succeed([fail("settings", message)]))
  )
