import { Agent, request } from "undici"
import { headersOf, methods, payment, paths, statuses } from "../wire/messages.js"
import { expectStatus, forEach, promises, type Open } from "./drive.js"

export const open: Open = (port) => {
  const dispatcher = new Agent()
  return Promise.resolve(
    promises(
      forEach((operation) => async () => {
        const { body, statusCode } = await request(`http://127.0.0.1:${port}${paths[operation]}`, {
          dispatcher,
          method: methods[operation],
          headers: headersOf(operation),
          body: operation === "create" ? JSON.stringify(payment) : null
        })
        expectStatus(statuses[operation], statusCode)
        return JSON.parse(await body.text()).data
      })
    )
  )
}
