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
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import * as tls from "node:tls"
import { failed } from "./Failure.js"
import * as output from "./output.js"
import * as service from "./service.js"

interface Finding {
  readonly check: string
  readonly level: "ok" | "warn" | "FAIL"
  readonly text: string
  readonly remedy?: string
}

const ok = (check: string, text: string): Finding => ({ check, level: "ok", text })

const warn = (check: string, text: string, remedy: string): Finding => ({
  check,
  level: "warn",
  text,
  remedy
})

const fail = (check: string, text: string, remedy: string): Finding => ({
  check,
  level: "FAIL",
  text,
  remedy
})

const optionalSettings = ({ gateway, token }: Manilla.Options): ReadonlyArray<Finding> => [
  token.environment === undefined
    ? warn(
        "settings",
        "MANILLA_ENVIRONMENT is not set: credentials for real money would be used without a word.",
        "Set it to SANDBOX or LIVE."
      )
    : ok("settings", `Only credentials for ${token.environment} are used.`),
  ...(gateway.pageParameter === undefined
    ? [
        warn(
          "settings",
          "MANILLA_PAGE_PARAMETER is not set: only the first page of a list can be read.",
          "Ask the service for the name of its query parameter. `manilla probe` finds it in a sandbox."
        )
      ]
    : [])
]

const limitMillis = 10_000

/** The reason that a system gives, such as `ENOTFOUND`. */
const reasonOf = (cause: unknown): string => {
  const inner = Predicate.hasProperty(cause, "cause") ? cause.cause : cause
  if (Predicate.hasProperty(inner, "code")) return output.text(inner.code)
  return output.text(Predicate.isError(inner) ? inner.message : inner)
}

const tried = <A>(run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: reasonOf }).pipe(
    Effect.timeoutFail({ duration: limitMillis, onTimeout: () => `no answer in ${limitMillis} ms` })
  )

const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, "")) > 0

const dns = (setting: string, { hostname }: URL) =>
  isAddress(hostname)
    ? Effect.succeed(ok("DNS", `${hostname} is an address.`))
    : Effect.match(
        tried(() => lookup(hostname)),
        {
          onFailure: (reason) =>
            fail(
              "DNS",
              `${hostname} has no address: ${reason}.`,
              `Correct ${setting}, or the name servers of this machine.`
            ),
          onSuccess: ({ address }) => ok("DNS", `${hostname} is ${address}.`)
        }
      )

const dayMillis = 86_400_000
const fewDays = 14

/** When the certificate of a host ends, if this machine trusts it. */
const certificateEnd = ({ hostname, port }: URL) =>
  Effect.async<number, string>((resume) => {
    const socket = tls.connect({
      host: hostname,
      port: Number(port) || 443,
      ...(isAddress(hostname) ? {} : { servername: hostname })
    })
    socket.once("secureConnect", () =>
      resume(Effect.succeed(Date.parse(socket.getPeerCertificate().valid_to)))
    )
    socket.once("error", (error) => resume(Effect.fail(reasonOf(error))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutFail({ duration: limitMillis, onTimeout: () => `no answer in ${limitMillis} ms` })
  )

const encryption = (setting: string, url: URL): Effect.Effect<Finding> =>
  url.protocol === "http:"
    ? Effect.succeed(ok("TLS", `${url.host} is on this machine, without TLS.`))
    : Effect.gen(function* () {
        const end = yield* Effect.either(certificateEnd(url))
        if (Either.isLeft(end)) {
          const remedy = `Check ${setting}, a proxy in between, and the certificates that this machine trusts (NODE_EXTRA_CA_CERTS).`
          return fail("TLS", `${url.host} has no connection to trust: ${end.left}.`, remedy)
        }
        const days = Math.floor((end.right - (yield* Clock.currentTimeMillis)) / dayMillis)
        const text = `The certificate of ${url.host} ends in ${days} days.`
        return days < fewDays
          ? warn("TLS", text, "Tell the service.")
          : ok("TLS", `${url.host} is trusted. ${text}`)
      })

const skewMostSeconds = 5

/** Compares the clocks: the header `Date` has whole seconds. */
const clock = (url: URL): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const { headers } = yield* tried((signal) =>
      fetch(url, { method: "HEAD", redirect: "manual", signal })
    )
    const after = yield* Clock.currentTimeMillis
    const theirs = Date.parse(headers.get("date") ?? "")
    if (Number.isNaN(theirs)) return ok("clock", `${url.host} does not say its time.`)
    const seconds = Math.round((before + after) / 2 - theirs) / 1000
    const text = `This machine is ${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? "behind" : "ahead of"} ${url.host}.`
    return Math.abs(seconds) > skewMostSeconds
      ? warn("clock", text, "Let the system set the clock (NTP): deadlines and reports use it.")
      : ok("clock", text)
  }).pipe(
    Effect.catchAll((reason) =>
      Effect.succeed(
        fail("clock", `${url.host} does not answer: ${reason}.`, "Check the network and a proxy.")
      )
    )
  )

const mainOperations = [...ServiceApi.operations].filter(
  ([, { access }]) => access !== "credentials"
)

/** What the scopes of the token allow. */
const allowed = (scopes: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const named = (is: (access: string) => boolean) =>
    mainOperations.filter(([, { access }]) => is(access)).map(([name]) => name)
  const granted = named((access) => scopes.includes(access))
  const unstated = named((access) => access === "bearer")
  const missing = mainOperations.filter(
    ([, { access }]) => access !== "bearer" && !scopes.includes(access)
  )
  return [
    ok("scopes", `Allowed: ${granted.join(", ") || "none"}.`),
    ok("scopes", `The interface states no scope for ${unstated.join(", ")}.`),
    ...missing.map(([name, { access }]) =>
      warn(
        "scopes",
        `${name} is not allowed.`,
        `If you need it, ask the service to grant ${access} to the application.`
      )
    )
  ]
}

const slowMillis = 2_000
const samples = 5

/** The catalogue, and how long its reads take. */
const catalogue = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const { list } = gateway.calls(CatalogueApi.group)
  const { services } = yield* list({})
  const closed = services.filter(({ available }) => !available)
  const names = closed.map(
    ({ country, operation, payment_method }) =>
      `${operation} by ${payment_method} in ${country.code}`
  )
  const count = `${services.length} services, ${closed.length} of them unavailable.`
  const offer =
    services.length > 0 && names.length === 0
      ? ok("catalogue", count)
      : warn("catalogue", count, `Do not offer: ${names.join(", ") || "anything"}.`)
  const timed = Effect.timed(list({}, { retry: { attempts: 1 } }))
  const times = yield* Effect.replicateEffect(
    Effect.map(timed, ([took]) => Math.round(Duration.toMillis(took))),
    samples
  )
  const [first = 0, ...others] = [...times].sort((a, b) => a - b)
  const text = `Reads take ${first} to ${others.at(-1) ?? first} ms.`
  return [
    offer,
    first < slowMillis
      ? ok("latency", text)
      : warn("latency", text, "Check the network and a proxy in between.")
  ]
}).pipe(
  Effect.catchAll(({ message }) =>
    Effect.succeed([fail("catalogue", message, "Run `manilla doctor` again, or ask the service.")])
  )
)

const credentials = Effect.gen(function* () {
  const { environment, scopes } = yield* service.token
  return [
    ok("token", `The service issues tokens for the environment ${environment}.`),
    ...allowed(scopes),
    ...(yield* catalogue)
  ]
}).pipe(
  Effect.provide(service.live),
  Effect.catchAll(({ message }) =>
    Effect.succeed([
      fail(
        "token",
        message,
        "Check MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET and MANILLA_ENVIRONMENT, and that the account is in order."
      )
    ])
  )
)

const way = ({ gateway, token }: Manilla.Options) => {
  const base = new URL(gateway.baseUrl)
  const auth = new URL(token.authUrl)
  const hosts = [
    ["MANILLA_BASE_URL", base],
    ...(auth.host === base.host ? [] : [["MANILLA_AUTH_URL", auth] as const])
  ] as const
  return Effect.forEach(hosts, ([setting, url]) =>
    Effect.flatMap(dns(setting, url), (named) =>
      named.level === "FAIL"
        ? Effect.succeed([named])
        : Effect.map(Effect.all([encryption(setting, url), clock(url)]), (more) => [named, ...more])
    )
  )
}

/** All findings, in order. A way that is blocked ends them: what is behind it cannot be checked. */
const findings = Effect.gen(function* () {
  const options = yield* Effect.either(Manilla.config)
  if (Either.isLeft(options)) {
    return service
      .settingIssues(options.left)
      .map((issue) => fail("settings", `${issue}.`, "Set it in the environment of this command."))
  }
  const first = [...optionalSettings(options.right), ...(yield* way(options.right)).flat()]
  return first.some(({ level }) => level === "FAIL") ? first : [...first, ...(yield* credentials)]
})

const json = ({ check, level, remedy, text }: Finding): string =>
  JSON.stringify({ check, level: level.toLowerCase(), text, remedy })

export const about = "Check settings, network, credentials, scopes and catalogue"

export const command = Command.make("doctor", { json: output.options.json }, (look) =>
  Effect.gen(function* () {
    const all = yield* findings
    for (const finding of all) {
      const { check, level, remedy, text } = finding
      const label = `${level.padEnd(4)}  ${check.padEnd(9)}  `
      const words = remedy === undefined ? text : `${text} ${remedy}`
      yield* Console.log(look.json ? json(finding) : output.wrapped(label, words))
    }
    const failures = all.filter(({ level }) => level === "FAIL").length
    if (failures > 0) {
      return yield* failed(`${failures} of ${all.length} checks failed; each says what to do.`)
    }
  })
).pipe(Command.withDescription(about))
