import type { Endpoint } from './route.ts'

/** `GET /me`: the organization and the key of the request. */
export const getMe: Endpoint<'getMe'> = async (_, { verified }) => ({
  organization: verified.organization,
  key: verified.key,
})
