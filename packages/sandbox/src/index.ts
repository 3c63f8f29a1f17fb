/**
 * The whole service as the packages declare it: the main gateway and the account gateway
 * (interface section 4).
 *
 * @since 0.1.0
 */
export * as ServiceApi from "./ServiceApi.js"
