import { Agent, request } from "node:http"
import { headersOf, methods, payment, paths, statuses, type Operation } from "../wire/messages.js"
import { expectStatus, forEach, promises, type Open } from "./drive.js"

const call = (agent: Agent, port: number, operation: Operation): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const body = operation === "create" ? JSON.stringify(payment) : undefined
    const outgoing = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        path: paths[operation],
        method: methods[operation],
        headers: {
          ...headersOf(operation),
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) })
        }
      },
      (incoming) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("error", reject)
        incoming.on("end", () => {
          try {
            expectStatus(statuses[operation], incoming.statusCode ?? 0)
            resolve(JSON.parse(Buffer.concat(chunks).toString()).data)
          } catch (error) {
            reject(error)
          }
        })
      }
    )
    outgoing.on("error", reject)
    outgoing.end(body)
  })

export const open: Open = (port) => {
  const agent = new Agent({ keepAlive: true })
  return Promise.resolve(promises(forEach((operation) => () => call(agent, port, operation))))
}
