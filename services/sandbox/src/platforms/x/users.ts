import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate } from './authenticate.ts'
import type { Site } from './site.ts'

/** `GET /2/users/me` */
export function showMe(site: Site, call: Call): Answer {
  const { id, username, createdAt } = authenticate(site, call, ['tweet.read', 'users.read'])
  const asked = (call.query.get('user.fields') ?? '').split(',')
  const more = {
    created_at: new Date(createdAt).toISOString(),
    profile_image_url: `${site.baseUrl()}/profile_images/default.png`,
    subscription_type: 'None',
    verified_type: 'none',
  }
  const fields = Object.entries(more).filter(([name]) => asked.includes(name))
  return jsonAnswer(200, { data: { id, name: username, username, ...Object.fromEntries(fields) } })
}
