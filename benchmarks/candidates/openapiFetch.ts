import createClient from "openapi-fetch"
import { headersOf, payment, root, rows, uuid } from "../wire/messages.js"
import { promises, type Open } from "./drive.js"
import { zodSchemas } from "./zodSchemas.js"

interface Answer<Status extends number> {
  readonly responses: Record<Status, { readonly content: { readonly "application/json": unknown } }>
}

/** The part of an OpenAPI document that is called, as `openapi-typescript` writes it. */
interface Paths {
  readonly "/payments": {
    readonly post: Answer<201> & {
      readonly requestBody: { readonly content: { readonly "application/json": typeof payment } }
    }
  }
  readonly "/payments/{paymentIntent}": {
    readonly get: Answer<200> & {
      readonly parameters: { readonly path: { readonly paymentIntent: string } }
    }
  }
  readonly "/transactions": {
    readonly get: Answer<200> & {
      readonly parameters: { readonly query?: { readonly per_page?: number } }
    }
  }
}

export const open: Open = (port) => {
  const client = createClient<Paths>({ baseUrl: `http://127.0.0.1:${port}${root}` })
  return Promise.resolve(
    promises({
      create: async () => {
        const { data } = await client.POST("/payments", {
          body: payment,
          headers: headersOf("create")
        })
        return zodSchemas.create.parse(data).data
      },
      get: async () => {
        const { data } = await client.GET("/payments/{paymentIntent}", {
          params: { path: { paymentIntent: uuid(1) } },
          headers: headersOf("get")
        })
        return zodSchemas.get.parse(data).data
      },
      list: async () => {
        const { data } = await client.GET("/transactions", {
          params: { query: { per_page: rows } },
          headers: headersOf("list")
        })
        return zodSchemas.list.parse(data).data
      }
    })
  )
}
