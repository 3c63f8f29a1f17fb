/** Certificates for TLS servers on loopback. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { generate } from "selfsigned"

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Options {
  /** Host names for which it is valid, besides the address 127.0.0.1. */
  readonly names?: ReadonlyArray<string>
  /** The days from now in which it is valid, such as `[-2, -1]`; `[-1, 1]` by default. */
  readonly days?: readonly [number, number]
  /** The authority that signs it; by default, it signs itself. */
  readonly authority?: Certificate
}

const dayMillis = 24 * 3600_000

const make = (
  { authority, days: [from, to] = [-1, 1], names = ["localhost"] }: Options,
  isAuthority: boolean
): Effect.Effect<Certificate> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { cert, private: key } = yield* Effect.promise(() =>
      generate([{ name: "commonName", value: isAuthority ? "Test authority" : names[0] }], {
        keyType: "ec",
        algorithm: "sha256",
        notBeforeDate: new Date(now + from * dayMillis),
        notAfterDate: new Date(now + to * dayMillis),
        extensions: isAuthority
          ? [
              { name: "basicConstraints", cA: true, critical: true },
              { name: "keyUsage", keyCertSign: true, critical: true }
            ]
          : [
              {
                name: "subjectAltName",
                altNames: [
                  { type: 7, ip: "127.0.0.1" },
                  ...names.map((value) => ({ type: 2 as const, value }))
                ]
              }
            ],
        ...(authority === undefined ? {} : { ca: authority })
      })
    )
    return { key, cert }
  })

/** An authority, which a client can trust. */
export const authority: Effect.Effect<Certificate> = make({ days: [-30, 30] }, true)

/** The certificate of a server. */
export const issue = (options: Options = {}): Effect.Effect<Certificate> => make(options, false)
