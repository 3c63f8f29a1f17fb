/** `manilla doctor`: checks the settings, the way to the service and what its credentials allow. */
import * as Command from "@effect/cli/Command"
import * as CatalogueApi from "@manilla/catalogue/CatalogueApi"
import * as Gateway from "@manilla/core/Gateway"
import * as ServiceApi from "@manilla/sandbox/ServiceApi"
import * as Manilla from "@manilla/token/Manilla"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { lookup } from "node:dns/promises"
import { failed } from "./Failure.js"
import * as output from "./output.js"
import * as service from "./service.js"

interface Finding {
  readonly level: "ok" | "warn" | "fail"
  readonly check: string
  readonly text: string
  readonly remedy: string | undefined
}

/** Something that is fine has no remedy. */
const finding = (
  check: string,
  text: string,
  remedy?: string,
  trouble: "warn" | "fail" = "warn"
): Finding => ({ level: remedy === undefined ? "ok" : trouble, check, text, remedy })

const optionalSettings = ({ gateway, token }: Manilla.Options) => [
  token.environment === undefined
    ? finding(
        "settings",
        "MANILLA_ENVIRONMENT is not set: credentials for real money would be used without a word.",
        "Set it to SANDBOX or LIVE."
      )
    : finding("settings", `Only credentials for ${token.environment} are used.`),
  gateway.pageParameter === undefined
    ? finding(
        "settings",
        "MANILLA_PAGE_PARAMETER is not set: only the first page of a list can be read.",
        "Ask the service for its query parameter. `manilla probe` finds it in a sandbox."
      )
    : finding("settings", `The query parameter ${gateway.pageParameter} selects a page.`)
]

/** The reason that a system gives, such as `ENOTFOUND`. */
const reasonOf = (cause: unknown): string => {
  const inner = Predicate.hasProperty(cause, "cause") ? cause.cause : cause
  if (Predicate.hasProperty(inner, "code")) return output.text(inner.code)
  return output.text(Predicate.isError(inner) ? inner.message : inner)
}

const tried = <A>(otherwise: string, run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: reasonOf }).pipe(
    Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "no answer in 10 seconds" }),
    Effect.mapError((reason) => failed(`${otherwise}: ${reason}.`))
  )

/** Without what fails here, the checks that follow have no meaning. */
const orFail = (check: string, remedy: string) =>
  Effect.mapError(({ message }: { readonly message: string }) => [
    finding(check, message, remedy, "fail")
  ])

const skewMostSeconds = 5

/** Compares the clocks: the header `Date` has whole seconds. */
const clock = (host: string, date: string | null, millis: number) => {
  const seconds = Math.round(millis - Date.parse(date ?? "")) / 1000
  if (Number.isNaN(seconds)) return finding("clock", `${host} does not tell its time.`)
  const text = `This machine is ${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? "behind" : "ahead of"} ${host}.`
  const remedy = "Let the system set the clock (NTP): deadlines and reports use it."
  return finding("clock", text, Math.abs(seconds) > skewMostSeconds ? remedy : undefined)
}

/** The way to a host. */
const way = (setting: string, url: URL) =>
  Effect.gen(function* () {
    const { host, hostname, protocol } = url
    const name = hostname.replace(/^\[|\]$/g, "")
    const { address } = yield* tried(`${hostname} has no address`, () => lookup(name)).pipe(
      orFail("DNS", `Correct ${setting}, or the name servers of this machine.`)
    )
    const before = yield* Clock.currentTimeMillis
    const { headers } = yield* tried(`${host} cannot be reached`, (signal) =>
      fetch(url, { method: "HEAD", redirect: "manual", signal })
    ).pipe(
      orFail(
        "TLS",
        `Check ${setting}, a proxy in between, and the certificates that this machine trusts (NODE_EXTRA_CA_CERTS).`
      )
    )
    const middle = (before + (yield* Clock.currentTimeMillis)) / 2
    const trust = protocol === "http:" ? "on this machine, without TLS" : "trusted"
    return [
      finding("DNS", `${hostname} is ${address}.`),
      finding("TLS", `${host} is ${trust}.`),
      clock(host, headers.get("date"), middle)
    ]
  })

/** The operations that the scopes of the token allow. */
const scopesOf = (granted: ReadonlyArray<string>) => {
  const all = [...ServiceApi.operations].filter(([, { access }]) => access !== "credentials")
  const namesOf = (is: (access: string) => boolean) =>
    all.flatMap(([name, { access }]) => (is(access) ? [name] : [])).join(", ") || "none"
  const missing = all.filter(([, { access }]) => access !== "bearer" && !granted.includes(access))
  return [
    finding("scopes", `Allowed: ${namesOf((access) => granted.includes(access))}.`),
    finding("scopes", `Of unstated scope: ${namesOf((access) => access === "bearer")}.`),
    ...missing.map(([name, { access }]) =>
      finding("scopes", `${name} is not allowed.`, `If you need it, ask for the scope ${access}.`)
    )
  ]
}

const slowMillis = 2_000

/** The catalogue, and how long its reads take. */
const catalogue = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const read = gateway.calls(CatalogueApi.group).list({}, { retry: { attempts: 1 } })
  const { services } = yield* read
  const closed = services
    .filter(({ available }) => !available)
    .map((one) => `${one.operation} by ${one.payment_method} in ${one.country.code}`)
  // The first read may have waited for a connection.
  const [took] = yield* Effect.timed(read)
  const millis = Math.round(Duration.toMillis(took))
  return [
    finding(
      "catalogue",
      `${services.length} services, ${closed.length} of them unavailable.`,
      closed.length === 0 ? undefined : `Do not offer: ${closed.join(", ")}.`
    ),
    finding(
      "latency",
      `A read takes ${millis} ms.`,
      millis < slowMillis ? undefined : "Check the network and a proxy in between."
    )
  ]
}).pipe(orFail("catalogue", "Run `manilla doctor` again."))

const credentials = Effect.gen(function* () {
  const { environment, scopes } = yield* service.token
  return [
    finding("token", `The tokens are for the environment ${environment}.`),
    ...scopesOf(scopes),
    ...(yield* Effect.merge(catalogue))
  ]
}).pipe(
  Effect.provide(service.live),
  orFail("token", "Check the settings of the credentials, and that the account is in order.")
)

/** All findings, in order. */
const findings = Effect.gen(function* () {
  const { gateway, token } = yield* Effect.mapError(Manilla.config, (error) =>
    service
      .settingIssues(error)
      .map((issue) => finding("settings", `${issue}.`, "Set this variable.", "fail"))
  )
  const first = [
    ...optionalSettings({ gateway, token }),
    ...(yield* Effect.merge(way("MANILLA_BASE_URL", new URL(gateway.baseUrl)))),
    ...(yield* Effect.merge(way("MANILLA_AUTH_URL", new URL(token.authUrl))))
  ]
  const isBroken = first.some(({ level }) => level === "fail")
  return isBroken ? first : [...first, ...(yield* Effect.merge(credentials))]
}).pipe(Effect.merge)

export const about = "Check settings, network, credentials, scopes and catalogue"

export const command = Command.make("doctor", { json: output.options.json }, ({ json }) =>
  Effect.gen(function* () {
    const all = yield* findings
    for (const finding of all) {
      const { check, level, remedy = "", text } = finding
      const label = `${level.padEnd(4)}  ${check.padEnd(9)}  `
      const words = output.wrapped(label, `${text} ${remedy}`.trim())
      yield* Console.log(json ? JSON.stringify(finding) : words)
    }
    const failures = all.filter(({ level }) => level === "fail").length
    if (failures === 0) return
    return yield* failed(`${failures} of ${all.length} checks failed; each says what to do.`)
  })
).pipe(Command.withDescription(about))
