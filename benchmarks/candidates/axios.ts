import { Agent } from "node:http"
import axios from "axios"
import { headersOf, methods, payment, paths, statuses } from "../wire/messages.js"
import { expectStatus, forEach, promises, type Open } from "./drive.js"

export const open: Open = (port) => {
  const client = axios.create({
    baseURL: `http://127.0.0.1:${port}`,
    httpAgent: new Agent({ keepAlive: true }),
    proxy: false,
    timeout: 30_000
  })
  return Promise.resolve(
    promises(
      forEach((operation) => async () => {
        const { data, status } = await client.request<{ readonly data: unknown }>({
          method: methods[operation],
          url: paths[operation],
          headers: headersOf(operation),
          ...(operation === "create" ? { data: payment } : {})
        })
        expectStatus(statuses[operation], status)
        return data.data
      })
    )
  )
}
