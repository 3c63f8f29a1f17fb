export * as Clients from "./Clients.js"
export * as ServiceApi from "./ServiceApi.js"
