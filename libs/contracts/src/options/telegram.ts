import { z } from 'zod'

/** What only Telegram takes. */
export const TelegramOptions = z.strictObject({
  parseMode: z
    .enum(['HTML', 'MarkdownV2'])
    .optional()
    .meta({ description: 'How the text is formatted; it is plain unless given.' }),
  disableNotification: z.boolean().optional().meta({ description: 'Sends without a sound.' }),
  disableLinkPreview: z.boolean().optional(),
  protectContent: z
    .boolean()
    .optional()
    .meta({ description: 'Keeps it from being forwarded and saved.' }),
})
