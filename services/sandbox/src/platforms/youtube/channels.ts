import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate } from './authenticate.ts'
import { only, requirePart } from './parts.ts'
import { refuse } from './refusals.ts'
import type { Youtube } from './server.ts'

const PARTS = ['id', 'snippet', 'status', 'contentDetails', 'statistics']

/** `GET /youtube/v3/channels`: the one of the token. A name with `short` has an account that is not verified. */
export function listChannels(youtube: Youtube, call: Call): Answer {
  const { id, username, createdAt } = authenticate(youtube, call, ['readonly'])
  const parts = requirePart(call, PARTS)
  if (call.query.get('mine') !== 'true')
    refuse(400, 'missingRequiredParameter', {
      message: 'No filter selected. Expected one of: id, forUsername, mine',
    })
  youtube.quota.useUnit()
  const thumbnail = { url: `${youtube.baseUrl()}/avatar.png`, width: 88, height: 88 }
  const channel = only(parts, {
    kind: 'youtube#channel',
    etag: 'etag',
    id,
    snippet: {
      title: username,
      description: '',
      customUrl: `@${username}`,
      publishedAt: new Date(createdAt).toISOString(),
      thumbnails: { default: thumbnail },
    },
    status: {
      privacyStatus: 'public',
      isLinked: true,
      longUploadsStatus: username.includes('short') ? 'eligible' : 'allowed',
    },
    contentDetails: { relatedPlaylists: { likes: '', uploads: `UU${id.slice(2)}` } },
    statistics: { videoCount: String(countVideos(youtube, id)) },
  })
  return jsonAnswer(200, {
    kind: 'youtube#channelListResponse',
    etag: 'etag',
    pageInfo: { totalResults: 1, resultsPerPage: 5 },
    items: [channel],
  })
}

function countVideos({ state }: Youtube, accountId: string): number {
  return [...state.videos.values()].filter((video) => video.accountId === accountId).length
}
