/**
 * A client program that depends only on docs/openapi.json, from which `service.ts` is generated. It
 * prints the results of its requests.
 */
import createClient from "openapi-fetch"
import type { paths } from "./service.js"

const [baseUrl = "", authUrl = "", client_id = "", client_secret = ""] = process.argv.slice(2)

const accounts = createClient<paths>({ baseUrl: authUrl })
const obtain = (secret: string) =>
  accounts.POST("/auth/application/token", { body: { client_id, client_secret: secret } })

const token = await obtain(client_secret)
if (token.error !== undefined) throw new Error(token.error.data.error.message)

const service = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${token.data.data.access_token}` }
})

const body = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
} as const

const header = { "idempotency-key": "order-42" }
const create = (country: string) =>
  service.POST("/payments", { params: { header }, body: { ...body, country } })

const created = await create(body.country)
if (created.error !== undefined) throw new Error(created.error.data.error.message)
const { id } = created.data.data

const read = await service.GET("/payments/{paymentIntent}", {
  params: { path: { paymentIntent: id } }
})
if (read.error !== undefined) throw new Error(read.error.data.error.message)

/** The interface documents the error status of the first only. */
const refused = [
  await create("BENIN"),
  await service.GET("/refunds/{reference}", { params: { path: { reference: "none" } } }),
  await service.GET("/transactions", { params: { query: { per_page: 101 } } }),
  await obtain("wrong")
]

console.log(
  JSON.stringify({
    id,
    read: read.data.data.id,
    refused: refused.map(({ error, response }) => ({
      status: response.status,
      code: error?.data.error.code satisfies string | undefined,
      correlationId: error?.meta?.correlation_id
    }))
  })
)

/** None of these must compile. */
export const mistakes = [
  // @ts-expect-error: the key is missing
  () => service.POST("/payments", { body }),
  // @ts-expect-error: the payer is missing
  () => service.POST("/payments", { params: { header }, body: { ...body, payer: undefined } }),
  // @ts-expect-error: payments cannot be deleted
  () => service.DELETE("/payments"),
  // @ts-expect-error: "ten" is not a number
  () => service.GET("/transactions", { params: { query: { per_page: "ten" } } }),
  // @ts-expect-error: a code is a string
  () => refused[0]?.error?.data.error.code satisfies number | undefined
]
