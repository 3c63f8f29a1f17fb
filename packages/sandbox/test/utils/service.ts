/**
 * A sandbox on sockets and its service for plain `fetch`, without Effect.
 */
import * as Fault from "@manilla/sandbox/Fault"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

const decodeToken = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ access_token: Schema.String }) })
)
const decodeLink = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ checkout_url: Schema.String }) })
)

export const collection = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290100000000" }
}

export const link = { amount: "2000", currency: "XOF", country: "BJ", description: "Shoes" }

const post = async (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  const json: unknown = await response.json()
  return { status: response.status, json }
}

/** Starts a sandbox. `close` stops it. */
export const start = async (options: SandboxServer.Options = {}) => {
  const scope = Effect.runSync(Scope.make())
  const sandbox = await Effect.runPromise(SandboxServer.make(options).pipe(Scope.extend(scope)))
  const { authUrl, baseUrl } = sandbox
  const { client_id: clientId, client_secret: clientSecret } = await Effect.runPromise(
    sandbox.credentials
  )
  const obtain = async () => {
    const { json } = await post(`${authUrl}/auth/application/token`, {
      client_id: clientId,
      client_secret: Redacted.value(clientSecret)
    })
    return `Bearer ${decodeToken(json).data.access_token}`
  }
  let token: Promise<string> | undefined
  const authorised = async () => {
    token ??= obtain()
    return { authorization: await token }
  }
  return {
    sandbox,
    /** Obtains a new token for the next requests. */
    renew: () => {
      token = obtain()
    },
    origin: new URL(baseUrl).origin,
    /** Sends a payment. The status is `undefined` if no response came. */
    pay: async (key: string, changes: object = {}) => {
      const headers = { "idempotency-key": key, ...(await authorised()) }
      return post(`${baseUrl}/payments`, { ...collection, ...changes }, headers).catch(
        () => undefined
      )
    },
    /** Creates a link, and returns the address of its page. */
    createLink: async (changes: object = {}) => {
      const { json } = await post(
        `${baseUrl}/payment-links`,
        { ...link, ...changes },
        await authorised()
      )
      return decodeLink(json).data.checkout_url
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export type Service = Awaited<ReturnType<typeof start>>

/** Sends a payment four times: two requests that the service never gets, a lost response and a replay. */
export const sendFourTimes = async ({ pay, sandbox }: Service, key: string) => {
  const operation = "Payments.create"
  await Effect.runPromise(
    Effect.forEach(
      [
        Fault.dropBefore({ operation }),
        Fault.status(503, { operation }),
        Fault.dropAfter({ operation })
      ],
      sandbox.faults.add
    )
  )
  for (let n = 0; n < 4; n++) await pay(key)
}
