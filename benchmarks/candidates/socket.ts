import { connect, type Socket } from "node:net"
import { headersOf, methods, payment, paths, type Operation } from "../wire/messages.js"
import { forEach, promises, type Open } from "./drive.js"

const requestOf = (operation: Operation): string => {
  const body = operation === "create" ? JSON.stringify(payment) : ""
  const headers = { host: "127.0.0.1", ...headersOf(operation), "content-length": body.length }
  return [
    `${methods[operation]} ${paths[operation]} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    body
  ].join("\r\n")
}

/** Sends a request over an exclusive socket, and reads a response by its content-length. */
const exchange = (socket: Socket, request: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let read: Buffer | undefined
    const settle = (data: unknown) => {
      socket.off("data", onData)
      socket.off("error", reject)
      resolve(data)
    }
    const onData = (chunk: Buffer) => {
      read = read === undefined ? chunk : Buffer.concat([read, chunk])
      const end = read.indexOf("\r\n\r\n")
      if (end === -1) return
      const [, length = "0"] = /content-length: (\d+)/i.exec(read.toString("latin1", 0, end)) ?? []
      if (read.length < end + 4 + Number(length)) return
      settle(JSON.parse(read.toString("utf8", end + 4)).data)
    }
    socket.on("data", onData)
    socket.once("error", reject)
    socket.write(request)
  })

export const open: Open = (port) => {
  const idle: Array<Socket> = []
  const call = (operation: Operation) => async () => {
    const socket = idle.pop() ?? connect({ port, host: "127.0.0.1", noDelay: true })
    const data = await exchange(socket, requestOf(operation))
    idle.push(socket)
    return data
  }
  return Promise.resolve(promises(forEach(call)))
}
