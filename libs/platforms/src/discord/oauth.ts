import { z } from 'zod'
import { askForToken, codeOf, requireSetting, withQuery } from '../oauth.ts'
import { ConnectError, type OAuth, type Settings } from '../platform.ts'
import { botAuth, read, USER_AGENT } from './api.ts'
import { Channel, Guild, identityOf, isPostable, readAs } from './identify.ts'

/** View channels, send messages, embed links, attach files, read the history. */
const PERMISSIONS = (1 << 10) | (1 << 11) | (1 << 14) | (1 << 15) | (1 << 16)

/**
 * A person adds Herald's bot to a server, then chooses among its channels. For `bot` alone Discord sends nobody back, so
 * `identify` is asked for too; the person's own token is not kept. There is nothing to revoke: the bot serves the other
 * channels of the server.
 */
export const discordOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => {
    requireBot(settings)
    const url = withQuery(settings['authorizeUrl'] ?? '', {
      client_id: requireSetting(settings, 'clientId', 'DISCORD_CLIENT_ID'),
      response_type: 'code',
      scope: 'bot identify',
      permissions: String(PERMISSIONS),
      redirect_uri: redirectUri,
      state,
      prompt: 'consent',
    })
    return { url, kept: {} }
  },
  finish: async ({ query, redirectUri, ...place }, deps) => {
    const { settings } = place
    const botToken = requireBot(settings)
    const answer = await askForToken(
      {
        name: 'Discord',
        url: settings['tokenUrl'] ?? '',
        headers: USER_AGENT,
        form: {
          grant_type: 'authorization_code',
          code: codeOf(query, 'Discord'),
          redirect_uri: redirectUri,
          client_id: requireSetting(settings, 'clientId', 'DISCORD_CLIENT_ID'),
          client_secret: requireSetting(settings, 'clientSecret', 'DISCORD_CLIENT_SECRET'),
        },
      },
      deps,
    )
    // The address that the person came back with names the server too, but anybody could have written that.
    const guild = Guild.safeParse(answer['guild']).data
    if (!guild) throw new ConnectError('refused', 'The bot was not added to a Discord server.')
    const path = `/guilds/${guild.id}/channels`
    const channels = readAs(z.array(Channel), await read(place, path, botAuth(botToken), deps))
    return channels
      .filter(isPostable)
      .toSorted((one, other) => one.position - other.position)
      .map((channel) => identityOf(channel, guild, place, { channelId: channel.id }))
  },
}

function requireBot(settings: Settings): string {
  return requireSetting(settings, 'botToken', 'DISCORD_BOT_TOKEN')
}
