export * as Clients from "./Clients.js"
export * as Promises from "./Promises.js"
