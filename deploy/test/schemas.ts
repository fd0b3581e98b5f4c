import { AccountsEnv } from '../../services/accounts/src/config.ts'
import { ChannelsEnv } from '../../services/channels/src/config.ts'
import { GatewayEnv } from '../../services/gateway/src/config.ts'
import { MediaEnv } from '../../services/media/src/config.ts'
import { PostsEnv } from '../../services/posts/src/config.ts'
import { PublisherEnv } from '../../services/publisher/src/config.ts'
import { QuotaEnv } from '../../services/quota/src/config.ts'

/** The settings of each service. */
export const SCHEMAS = {
  gateway: GatewayEnv,
  accounts: AccountsEnv,
  quota: QuotaEnv,
  channels: ChannelsEnv,
  media: MediaEnv,
  posts: PostsEnv,
  publisher: PublisherEnv,
}
export type ServiceName = keyof typeof SCHEMAS
export const SERVICES = Object.keys(SCHEMAS) as ServiceName[]

/** The variables that a service reads by its schema. */
export function variablesOf(service: ServiceName): string[] {
  const schema = SCHEMAS[service]
  return Object.keys('shape' in schema ? schema.shape : schema.in.shape)
}
