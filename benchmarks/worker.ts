// The part of every measured process: it answers the messages of its parent, and ends with it.
export const answer = <Message>(reply: (message: Message) => unknown): void => {
  const send = async (message: Message) => process.send?.(await reply(message))
  process.on("message", (message: Message) => {
    send(message).catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.({})
}

/** The time and the CPU time, with all threads, that something takes. */
export const cost = async <A>(use: () => Promise<A>) => {
  const startedMillis = performance.now()
  const startedCpu = process.cpuUsage()
  const value = await use()
  const { system, user } = process.cpuUsage(startedCpu)
  return { value, millis: performance.now() - startedMillis, cpuMillis: (user + system) / 1000 }
}

/** The heap size after a garbage collection. Requires `--expose-gc`. */
export const heapBytes = (): number => {
  if (globalThis.gc === undefined) throw new Error("The process requires --expose-gc")
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
